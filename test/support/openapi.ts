import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { OpenApiDocument, OperationDocument } from '../../src/server/openapi/document.ts';

/** Checks of answers against the served OpenAPI document, by its own words only. */
export function createContractCheck(document: OpenApiDocument) {
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
  ajv.addSchema({ $id: 'openapi', components: document.components }, 'openapi');
  const compiled = new Map<string, ValidateFunction>();
  const absolute = (schema: unknown): object =>
    JSON.parse(
      JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components'),
    ) as object;

  function validatorOf(operation: OperationDocument, status: number): ValidateFunction | undefined {
    const schema = operation.responses[status]?.content?.['application/json']?.schema;
    if (schema === undefined) return undefined;
    const name = JSON.stringify(schema);
    const validate = compiled.get(name) ?? ajv.compile(absolute(schema));
    compiled.set(name, validate);
    return validate;
  }

  return {
    compile: (schema: unknown): ValidateFunction => ajv.compile(absolute(schema)),
    /** Why an answer is not what the document says, or undefined. */
    problem(operation: OperationDocument, status: number, body: unknown): string | undefined {
      if (operation.responses[status] === undefined)
        return `status ${status} is not documented for ${operation.operationId}`;
      const validate = validatorOf(operation, status);
      if (validate === undefined || validate(body)) return undefined;
      return `${operation.operationId} ${status}: ${ajv.errorsText(validate.errors?.slice(0, 5))}`;
    },
  };
}
