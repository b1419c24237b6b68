import { z } from 'zod';
import { API } from '../../shared/contract/api.ts';
import { None } from '../../shared/contract/common.ts';
import { ERROR_STATUS, MAX_DETAILS } from '../../shared/contract/errors.ts';
import {
  describeMembers,
  holdsOutcome,
  OUTCOME_MEANING,
  RAW_OUTCOME,
} from './meanings/describe.ts';
import { PARAMETER_MEANINGS } from './meanings/parameters.ts';
import { namedSchemas } from './named-schemas.ts';
import type { JsonSchema } from './shapes.ts';

const REF = '#/components/schemas/';
export function ref(name: string): JsonSchema {
  return { $ref: `${REF}${name}` };
}

const OUTCOMES = JSON.stringify(RAW_OUTCOME['enum']);

/**
 * Removes keywords that zod adds for a standalone document, and the recursive definition of "any
 * JSON" that it repeats for each use. Outcomes become references to the one schema of them.
 */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (typeof value !== 'object' || value === null) return value;
  if ('enum' in value && JSON.stringify(value.enum) === OUTCOMES)
    return {
      ...ref('RawOutcome'),
      ...('description' in value && { description: value.description }),
    };
  const isNumber = 'type' in value && value.type === 'integer';
  const entries = Object.entries(value).filter(
    ([key]) => key !== '$schema' && key !== '$id' && !(isNumber && key === 'pattern'),
  );
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

const ERROR_DETAIL: JsonSchema = {
  type: 'object',
  description: 'One place that is wrong.',
  properties: {
    path: {
      type: 'string',
      description: 'JSON Pointer into the body, or the name of a parameter.',
    },
    code: { type: 'string', description: 'What is wrong there, for programs.' },
    message: { type: 'string', description: 'What is wrong there, for people.' },
  },
  required: ['path', 'code', 'message'],
  additionalProperties: false,
};

const ERROR: JsonSchema = {
  type: 'object',
  description: 'What every answer but a success looks like.',
  properties: {
    error: { type: 'string', enum: Object.keys(ERROR_STATUS), description: 'Stable code.' },
    message: { type: 'string', description: 'One sentence for a person.' },
    details: {
      type: 'array',
      maxItems: MAX_DETAILS,
      items: ref('ErrorDetail'),
      description: 'The places that are wrong, where the body or a parameter is.',
    },
    more: {
      type: 'integer',
      minimum: 1,
      description:
        'How many places are wrong besides those that `details` lists, or at least so many. Absent where it lists all.',
    },
    request_id: { type: 'string', description: 'Name of the request in the server’s log.' },
  },
  required: ['error', 'message', 'details', 'request_id'],
  additionalProperties: false,
};

const capitalised = (id: string): string => id[0]!.toUpperCase() + id.slice(1);

const namesIn = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
    ([, name]) => name ?? '',
  );

/** Those that an operation leads to. */
function reachable(
  schemas: Record<string, JsonSchema>,
  roots: readonly string[],
): Record<string, JsonSchema> {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    namesIn(schemas[name] ?? {}).forEach(visit);
  };
  roots.forEach(visit);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)));
}

/** Component schemas of all bodies, and the name of each operation's own. */
export function buildSchemas(): {
  schemas: Record<string, JsonSchema>;
  request(id: string): string;
  response(id: string): string;
  /** Those of its answers that have fewer members. */
  short(id: string): string[];
} {
  const bodies = API.flatMap((endpoint) =>
    endpoint.body === undefined
      ? []
      : [[`${capitalised(endpoint.id)}Request`, endpoint.body] as const],
  );
  const answers = API.filter(({ file }) => file === undefined).map(
    (endpoint) => [`${capitalised(endpoint.id)}Response`, endpoint.response] as const,
  );
  const short = API.flatMap(({ id, minimal, partial }) => [
    ...(minimal === undefined ? [] : [[`${capitalised(id)}MinimalResponse`, minimal] as const]),
    ...(partial === undefined ? [] : [[`${capitalised(id)}PartialResponse`, partial] as const]),
  ]);
  const named = { Empty: None, ...namedSchemas() };
  const inputs = convert({ ...named, ...Object.fromEntries(bodies) }, 'input');
  const outputs = convert({ ...named, ...Object.fromEntries([...answers, ...short]) }, 'output');
  const roots = [
    ...bodies.map(([, body]) => inputs.names.get(body)!),
    ...[...answers, ...short].map(([, answer]) => outputs.names.get(answer)!),
  ];
  const schemas: Record<string, JsonSchema> = {
    ...reachable({ ...inputs.schemas, ...outputs.schemas }, roots),
    RawOutcome: RAW_OUTCOME,
    JsonValue: { description: 'Any JSON value.' },
    ErrorDetail: ERROR_DETAIL,
    Error: ERROR,
  };
  for (const [name, schema] of Object.entries(schemas)) describeMembers(schema, [name]);
  const endpointOf = (id: string) => API.find((endpoint) => endpoint.id === id)!;
  return {
    schemas,
    request: (id) => inputs.names.get(endpointOf(id).body!)!,
    response: (id) => outputs.names.get(endpointOf(id).response)!,
    short: (id) => {
      const { minimal, partial } = endpointOf(id);
      return [minimal, partial].flatMap((schema) => (schema && outputs.names.get(schema)) ?? []);
    },
  };
}

/** Query and path parameters of an operation. */
export function parameterSchemas(
  schema: z.ZodType,
): { name: string; required: boolean; description?: string; schema: JsonSchema }[] {
  const { properties = {}, required = [] } = tidy(
    z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
  ) as { properties?: Record<string, JsonSchema>; required?: string[] };
  return Object.entries(properties).map(([name, { description, ...property }]) => {
    const meaning = typeof description === 'string' ? description : PARAMETER_MEANINGS[name];
    const isOutcome = holdsOutcome(property) || name === 'outcome';
    const words = [meaning, isOutcome ? OUTCOME_MEANING : undefined].filter(
      (said) => said !== undefined,
    );
    return {
      name,
      required: required.includes(name),
      ...(words.length > 0 && { description: words.join(' ') }),
      schema: property,
    };
  });
}
