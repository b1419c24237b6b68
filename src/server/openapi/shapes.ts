/** The parts of an OpenAPI document that ours has. */

export type JsonSchema = { [keyword: string]: unknown };

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: JsonSchema;
}
export interface ResponseDocument {
  description: string;
  headers?: Record<string, unknown>;
  content?: Record<
    string,
    { schema: JsonSchema; example?: unknown; examples?: Record<string, unknown> }
  >;
}
export interface OperationDocument {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters: Parameter[];
  requestBody?: {
    required: true;
    content: Record<string, { schema: JsonSchema; example?: unknown }>;
  };
  responses: Record<string, ResponseDocument>;
}
export interface OpenApiDocument {
  openapi: '3.1.0';
  info: {
    title: string;
    version: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, OperationDocument>>;
  components: {
    schemas: Record<string, JsonSchema>;
    headers: Record<string, unknown>;
    examples: Record<string, { summary: string; value: unknown }>;
    securitySchemes: Record<string, unknown>;
  };
}
