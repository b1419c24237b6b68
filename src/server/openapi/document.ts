import { API } from '../../shared/contract/api.ts';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { SYNC_EVENTS_PATH } from '../../shared/contract/sync.ts';
import { INTERPRETATION_BOUNDARY } from '../../shared/domain/result.ts';
import { errorCodes } from './error-responses.ts';
import { REQUEST_EXAMPLES } from './examples.ts';
import { buildSchemas, type JsonSchema, parameterSchemas, ref } from './schemas.ts';

export const OPENAPI_PATH = '/api/v1/openapi.json';

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: JsonSchema;
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
  responses: Record<
    string,
    {
      description: string;
      headers?: Record<string, unknown>;
      content?: Record<string, { schema: JsonSchema }>;
    }
  >;
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
  tags: { name: string }[];
  paths: Record<string, Record<string, OperationDocument>>;
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, unknown> };
}

const ACCESS: Record<Endpoint['access'], { security: Record<string, string[]>[]; words: string }> =
  {
    read: {
      security: [{ apiKey: [] }, { session: [] }],
      words: 'An API key with the scope `read`, `suggest` or `sync`, or a signed-in person.',
    },
    suggest: {
      security: [{ apiKey: [] }, { session: [] }],
      words: 'An API key with the scope `suggest`, `write` or `sync`, or a signed-in person.',
    },
    write: {
      security: [{ apiKey: [] }, { session: [] }],
      words:
        'An API key with the scope `write` or `sync`, or a signed-in person. What removes, or brings back, needs `delete` besides.',
    },
    session: { security: [{ session: [] }], words: 'A signed-in person; API keys are refused.' },
    open: { security: [], words: 'Open to anyone.' },
  };

const header = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
});
const IDEMPOTENCY_KEY = header(
  'Idempotency-Key',
  '1 to 255 visible ASCII characters. The same request sent again within a day with the same key is answered by the first answer.',
);
const IF_MATCH = header(
  'If-Match',
  'Entity tag of the record as last read: `"v3"`, or of the evidence that was reviewed. Where something else stands now: 412.',
);
const IF_NONE_MATCH = header('If-None-Match', '`*`: create only.');
const IF_CHANGED = header(
  'If-None-Match',
  'Entity tag of the answer already held; the same is answered with 304.',
);
const PREFER = header(
  'Prefer',
  '`return=minimal`: the short answer, which says `Preference-Applied: return=minimal`.',
);
const WITNESS = header(
  'Sync-Witness',
  '`<epoch>;<seq>;<chain>`: the highest position of this log that the client has seen.',
);
const USER = header(
  'Sync-User',
  'The user whose copy asks, `<user_id>`, or `<user_id>@<account_id>`. Where another one is signed in, the answer is 409 `other_user`.',
);

const HEADER = (description: string): unknown => ({ description, schema: { type: 'string' } });
const TAGGED = new Set([
  'getProject',
  'getCase',
  'getProfile',
  'getEvidence',
  'getItem',
  'createRun',
  'getRun',
  'upsertProject',
  'upsertCase',
  'syncCases',
]);

function headerParameters(endpoint: Endpoint): Parameter[] {
  return [
    ...(endpoint.method === 'POST' ? [IDEMPOTENCY_KEY] : []),
    ...(endpoint.minimal === undefined ? [] : [PREFER]),
    ...(endpoint.errors.includes('precondition_failed') ? [IF_MATCH, IF_NONE_MATCH] : []),
    ...(endpoint.method === 'GET' && TAGGED.has(endpoint.id) ? [IF_CHANGED] : []),
    ...(endpoint.errors.includes('diverged') ? [WITNESS] : []),
    ...(endpoint.tag === 'Sync' ? [USER] : []),
  ];
}

function errorResponses(
  endpoint: Pick<Endpoint, 'method' | 'path' | 'body' | 'errors'>,
): OperationDocument['responses'] {
  return Object.fromEntries(
    [...errorCodes(endpoint)].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\``).join(', '),
        content: { 'application/json': { schema: ref('Error') } },
      },
    ]),
  );
}

function successResponses(
  endpoint: Endpoint,
  schema: string,
  minimal: string | undefined,
): OperationDocument['responses'] {
  const headers = {
    'X-Request-Id': HEADER('Name of this request in the log.'),
    ...(TAGGED.has(endpoint.id) && { ETag: HEADER('Strong entity tag.') }),
  };
  const content = {
    'application/json': {
      schema: minimal === undefined ? ref(schema) : { anyOf: [ref(schema), ref(minimal)] },
    },
    ...(endpoint.csv && { 'text/csv': { schema: { type: 'string' } } }),
  };
  const responses: OperationDocument['responses'] = {};
  for (const status of endpoint.success) {
    const extra = status === 201 ? { Location: HEADER('Where the new record is found.') } : {};
    responses[status] = {
      description: status === 201 ? 'Created.' : 'Done.',
      headers: { ...headers, ...extra },
      content,
    };
  }
  if (endpoint.method === 'GET' && TAGGED.has(endpoint.id))
    responses[304] = { description: 'Unchanged.' };
  return responses;
}

function describe(endpoint: Endpoint, names: ReturnType<typeof buildSchemas>): OperationDocument {
  const { security, words } = ACCESS[endpoint.access];
  const example = REQUEST_EXAMPLES[endpoint.id];
  return {
    operationId: endpoint.id,
    summary: endpoint.summary,
    description: words,
    tags: [endpoint.tag],
    security,
    parameters: [
      ...parameterSchemas(endpoint.params).map((parameter): Parameter => ({
        ...parameter,
        in: 'path',
        required: true,
      })),
      ...parameterSchemas(endpoint.query).map((parameter): Parameter => ({
        ...parameter,
        in: 'query',
      })),
      ...headerParameters(endpoint),
    ],
    ...(endpoint.body !== undefined && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: ref(names.request(endpoint.id)),
            ...(example !== undefined && { example }),
          },
        },
      },
    }),
    responses: {
      ...successResponses(endpoint, names.response(endpoint.id), names.minimal(endpoint.id)),
      ...errorResponses(endpoint),
    },
  };
}

function eventsOperation(): OperationDocument {
  return {
    operationId: 'syncEvents',
    summary: 'Hints that a log has grown, as server-sent events',
    description: 'Each event is `{"case": ..., "seq": ...}`. Nothing depends on receiving one.',
    tags: ['Sync'],
    security: ACCESS.read.security,
    parameters: [],
    responses: {
      200: {
        description: 'A stream that ends when the server stops.',
        content: { 'text/event-stream': { schema: { type: 'string' } } },
      },
      ...errorResponses({ method: 'GET', path: SYNC_EVENTS_PATH, errors: [] }),
    },
  };
}

/** The OpenAPI 3.1 description, made from the same objects that the server routes by. */
export function buildOpenApi(version: string): OpenApiDocument {
  const names = buildSchemas();
  const paths: OpenApiDocument['paths'] = {};
  for (const endpoint of API)
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: describe(endpoint, names),
    };
  paths[SYNC_EVENTS_PATH] = { get: eventsOperation() };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Evidence Studio',
      version,
      description: `Projects, cases, evidence matrices and frozen runs under the standard SGA-QEM-1.0. ${INTERPRETATION_BOUNDARY}`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(API.map((endpoint) => endpoint.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: names.schemas,
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'evs_...',
          description: 'Made on the account page or by `evidence-studio key create`; shown once.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'evs_session',
          description: 'A browser that was signed in, from pages of this server only.',
        },
      },
    },
  };
}

/** Built when it is first asked for, then kept. */
export function createOpenApi(version: string): { document(): OpenApiDocument; json(): string } {
  let built: OpenApiDocument | undefined;
  let text: string | undefined;
  const document = (): OpenApiDocument => (built ??= buildOpenApi(version));
  return { document, json: () => (text ??= JSON.stringify(document())) };
}
