import fc from 'fast-check';
import type { Json } from './json.ts';

type Schema = { [keyword: string]: Json };

/**
 * Texts that break careless programs: quotes, markup, paths, numbers in disguise, odd Unicode,
 * names of built-in members.
 */
export const NASTY = [
  '',
  ' ',
  '0',
  '-1',
  '1e400',
  'null',
  'constructor',
  '__proto__',
  'toString',
  '../..',
  "' OR 1=1--",
  '<script>',
  '%00',
  '\u0000',
  'a\u202eb',
  '\ud800',
  'e\u0301',
  '\u200b',
  '🧬'.repeat(20),
  'x'.repeat(20_000),
  '=cmd()',
  '\r\nX: 1',
];

/** A hash with its name is 71 characters long. */
const LONGEST_MATCH = 80;

const strings = new Map<string, fc.Arbitrary<string>>();

/** Made once for all schemas that say the same: to make one takes as long as a request. */
function stringOf({ pattern, minLength, maxLength }: Schema): fc.Arbitrary<string> {
  const said = JSON.stringify([pattern, minLength, maxLength]);
  const made = strings.get(said) ?? makeString({ pattern, minLength, maxLength });
  strings.set(said, made);
  return made;
}

function makeString({
  pattern,
  minLength = 0,
  maxLength = LONGEST_MATCH,
}: Schema): fc.Arbitrary<string> {
  if (typeof pattern === 'string')
    return fc.stringMatching(new RegExp(pattern, 'u'), {
      maxLength: Math.min(maxLength, LONGEST_MATCH),
    });
  return fc.string({ minLength, maxLength: Math.min(maxLength, 40), unit: 'grapheme' });
}

/** Values that a JSON Schema of ours allows: the keywords that our documents use, no others. */
export function arbitraryOf(
  schema: Schema,
  components: Record<string, Schema>,
  depth = 0,
): fc.Arbitrary<unknown> {
  if (schema['$ref'] !== undefined)
    return arbitraryOf(components[String(schema['$ref']).split('/').at(-1)!]!, components, depth);
  const options: Schema[] | undefined = schema['anyOf'] ?? schema['oneOf'];
  if (options !== undefined)
    return fc.oneof(...options.map((option) => arbitraryOf(option, components, depth)));
  if (schema['enum'] !== undefined) return fc.constantFrom(...schema['enum']);
  if ('const' in schema) return fc.constant(schema['const']);
  if (Array.isArray(schema['type']))
    return fc.oneof(
      ...schema['type'].map((type: string) => arbitraryOf({ ...schema, type }, components, depth)),
    );
  switch (schema['type']) {
    case 'string':
      return stringOf(schema);
    case 'integer':
      return fc.integer({
        min: Math.max(schema['minimum'] ?? -1_000, -1_000),
        max: Math.min(schema['maximum'] ?? 1_000, 1_000),
      });
    case 'number':
      return fc.double({
        min: Math.max(schema['minimum'] ?? -1e6, -1e6),
        max: Math.min(schema['maximum'] ?? 1e6, 1e6),
        noNaN: true,
      });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(arbitraryOf(schema['items'] ?? {}, components, depth + 1), {
        minLength: schema['minItems'] ?? 0,
        maxLength: 4,
      });
    case 'object':
      return objectOf(schema, components, depth);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objectOf(
  schema: Schema,
  components: Record<string, Schema>,
  depth: number,
): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
  if (properties.length === 0)
    return schema['additionalProperties'] === false
      ? fc.constant({})
      : fc.dictionary(
          fc.string({ maxLength: 8 }).filter((key) => key !== '__proto__'),
          fc.jsonValue({ maxDepth: 2 }),
          { maxKeys: 4 },
        );
  const model = Object.fromEntries(
    properties.map(([name, property]) => [name, arbitraryOf(property, components, depth + 1)]),
  );
  return fc.record(model, { requiredKeys: (schema['required'] ?? []) as string[] });
}

/** The same value with one thing wrong: a field replaced, added or taken away, anywhere. */
export function damaged(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const junk = fc.oneof(
    fc.constantFrom<unknown>(...NASTY, null, true, 0, -1.5, 1e300, [], {}, [[]]),
    fc.jsonValue({ maxDepth: 3 }),
  );
  return fc
    .tuple(
      value,
      junk,
      fc.array(fc.nat({ max: 50 }), { maxLength: 4 }),
      fc.constantFrom('replace', 'add', 'remove'),
    )
    .map(([original, other, path, how]) => damageAt(original, other, path, how));
}

function damageAt(value: unknown, junk: unknown, path: number[], how: string): unknown {
  if (typeof value !== 'object' || value === null || path.length === 0)
    return how === 'replace' ? junk : addOrRemove(value, junk, how);
  const keys = Object.keys(value);
  const key = keys[path[0]! % keys.length];
  if (key === undefined) return addOrRemove(value, junk, how);
  const inner = damageAt((value as Record<string, unknown>)[key], junk, path.slice(1), how);
  return Array.isArray(value)
    ? value.map((entry: unknown, index) => (String(index) === key ? inner : entry))
    : { ...value, [key]: inner };
}

function addOrRemove(value: unknown, junk: unknown, how: string): unknown {
  if (Array.isArray(value)) return how === 'add' ? [...(value as unknown[]), junk] : value.slice(1);
  if (typeof value !== 'object' || value === null) return junk;
  if (how === 'add') return { ...value, extra: junk };
  const [first, ...rest] = Object.entries(value);
  return first === undefined ? junk : Object.fromEntries(rest);
}
