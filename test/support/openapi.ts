import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { OpenApiDocument, OperationDocument } from '../../src/server/openapi/shapes.ts';

/** What HTTP itself has, and what every answer of the server carries whatever it says. */
const COMMON = new Set([
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-security-policy',
  'content-type',
  'cross-origin-resource-policy',
  'date',
  'keep-alive',
  'referrer-policy',
  'strict-transport-security',
  'transfer-encoding',
  'vary',
  'x-content-type-options',
]);

/** Checks of answers against the served OpenAPI document, by its own words only. */
export function createContractCheck(document: OpenApiDocument) {
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
  ajv.addSchema({ $id: 'openapi', components: document.components }, 'openapi');
  const compiled = new Map<string, ValidateFunction>();
  const absolute = (schema: unknown): object =>
    JSON.parse(
      JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components'),
    ) as object;

  function compile(schema: unknown): ValidateFunction {
    const name = JSON.stringify(schema);
    const validate = compiled.get(name) ?? ajv.compile(absolute(schema));
    compiled.set(name, validate);
    return validate;
  }
  function validatorOf(operation: OperationDocument, status: number): ValidateFunction | undefined {
    const schema = operation.responses[status]?.content?.['application/json']?.schema;
    return schema === undefined ? undefined : compile(schema);
  }

  return {
    compile,
    /** Why an answer is not what the document says, or undefined. */
    problem(
      operation: OperationDocument,
      status: number,
      body: unknown,
      headers: Headers,
    ): string | undefined {
      const response = operation.responses[status];
      if (response === undefined)
        return `status ${status} is not documented for ${operation.operationId}`;
      const told = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase());
      const untold = [...headers.keys()].filter(
        (name) => !COMMON.has(name) && !told.includes(name),
      );
      if (untold.length > 0)
        return `${operation.operationId} ${status} sends headers that are not documented: ${untold.join(', ')}`;
      const validate = validatorOf(operation, status);
      if (validate === undefined || validate(body)) return undefined;
      return `${operation.operationId} ${status}: ${ajv.errorsText(validate.errors?.slice(0, 5))}`;
    },
  };
}
