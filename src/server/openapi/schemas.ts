import { z } from 'zod';
import { API } from '../../shared/contract/api.ts';
import { ApiKey, CreatedKey, KeyInput, Session, Usage } from '../../shared/contract/v1/account.ts';
import { Case, CaseInput } from '../../shared/contract/v1/cases.ts';
import {
  Cell,
  Evidence,
  EvidenceBatchInput,
  EvidenceInput,
  EvidenceReceipt,
  HistoryStep,
  Item,
  ItemInput,
  ItemWithEvidenceInput,
  OutcomeInput,
} from '../../shared/contract/v1/evidence.ts';
import { ProfileEntry } from '../../shared/contract/v1/profiles.ts';
import { Project, ProjectInput } from '../../shared/contract/v1/projects.ts';
import { RunEntry, RunInput } from '../../shared/contract/v1/runs.ts';
import { ERROR_STATUS } from '../../shared/contract/errors.ts';
import { ProfileDocument } from '../../shared/domain/profile.ts';
import { RunRecord } from '../../shared/domain/run.ts';

export type JsonSchema = { [keyword: string]: unknown };

const INPUTS = {
  ProjectInput,
  CaseInput,
  EvidenceInput,
  EvidenceBatchInput,
  ItemInput,
  ItemWithEvidenceInput,
  OutcomeInput,
  RunInput,
  KeyInput,
  ProfileDocument,
};
const OUTPUTS = {
  Project,
  ProfileEntry,
  ProfileDocument,
  Case,
  Cell,
  Item,
  Evidence,
  EvidenceReceipt,
  HistoryStep,
  RunRecord,
  RunEntry,
  ApiKey,
  CreatedKey,
  Usage,
  Session,
};

const REF = '#/components/schemas/';
export function ref(name: string): JsonSchema {
  return { $ref: `${REF}${name}` };
}

/**
 * Keywords that zod adds for a standalone document, and the recursive definition of "any JSON" that
 * it repeats for each use; removed from the description.
 */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== '$schema' && key !== '$id');
  return Object.fromEntries(
    entries.map(([key, entry]) => [
      key,
      key === '$ref' && String(entry).startsWith(`${REF}__shared`)
        ? `${REF}JsonValue`
        : tidy(entry),
    ]),
  );
}

function convert(
  named: Record<string, z.ZodType>,
  io: 'input' | 'output',
): { names: Map<z.ZodType, string>; schemas: Record<string, JsonSchema> } {
  const registry = z.registry<{ id: string }>();
  const names = new Map<z.ZodType, string>();
  for (const [id, schema] of Object.entries(named)) {
    if (names.has(schema)) continue;
    names.set(schema, id);
    registry.add(schema, { id });
  }
  const { schemas } = z.toJSONSchema(registry, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    uri: (id) => `${REF}${id}`,
  });
  const { __shared: _, ...own } = tidy(schemas) as Record<string, JsonSchema>;
  return { names, schemas: own };
}

const ERROR: JsonSchema = {
  type: 'object',
  description: 'What every answer but a success looks like.',
  properties: {
    error: { type: 'string', enum: Object.keys(ERROR_STATUS), description: 'Stable code.' },
    message: { type: 'string', description: 'One sentence for a person.' },
    details: {
      type: 'array',
      maxItems: 50,
      items: {
        type: 'object',
        properties: {
          path: {
            type: 'string',
            description: 'JSON Pointer into the body, or the name of a parameter.',
          },
          code: { type: 'string' },
          message: { type: 'string' },
        },
        required: ['path', 'code', 'message'],
        additionalProperties: false,
      },
    },
    request_id: { type: 'string' },
  },
  required: ['error', 'message', 'details', 'request_id'],
  additionalProperties: false,
};

const capitalised = (id: string): string => id[0]!.toUpperCase() + id.slice(1);

/** Component schemas of all bodies, and the name of each operation's own. */
export function buildSchemas(): {
  schemas: Record<string, JsonSchema>;
  request(id: string): string;
  response(id: string): string;
  /** Undefined where the operation has one answer only. */
  minimal(id: string): string | undefined;
} {
  const bodies = API.flatMap((endpoint) =>
    endpoint.body === undefined
      ? []
      : [[`${capitalised(endpoint.id)}Request`, endpoint.body] as const],
  );
  const answers = API.map(
    (endpoint) => [`${capitalised(endpoint.id)}Response`, endpoint.response] as const,
  );
  const short = API.flatMap(({ id, minimal }) =>
    minimal === undefined ? [] : [[`${capitalised(id)}MinimalResponse`, minimal] as const],
  );
  const inputs = convert({ ...INPUTS, ...Object.fromEntries(bodies) }, 'input');
  const outputs = convert({ ...OUTPUTS, ...Object.fromEntries([...answers, ...short]) }, 'output');
  const endpointOf = (id: string) => API.find((endpoint) => endpoint.id === id)!;
  return {
    schemas: {
      ...inputs.schemas,
      ...outputs.schemas,
      JsonValue: { description: 'Any JSON value.' },
      Error: ERROR,
    },
    request: (id) => inputs.names.get(endpointOf(id).body!)!,
    response: (id) => outputs.names.get(endpointOf(id).response)!,
    minimal: (id) => {
      const { minimal } = endpointOf(id);
      return minimal && outputs.names.get(minimal);
    },
  };
}

/** Query and path parameters of an operation. */
export function parameterSchemas(
  schema: z.ZodType,
): { name: string; required: boolean; schema: JsonSchema }[] {
  const { properties = {}, required = [] } = tidy(
    z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
  ) as { properties?: Record<string, JsonSchema>; required?: string[] };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    required: required.includes(name),
    schema: property,
  }));
}
