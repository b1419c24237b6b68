import type { Json } from './json.ts';

/** Members of schemas that OpenAPI 3.0, or the generators for it, do not know. */
const LEFT_OUT = new Set(['propertyNames', 'pattern', 'example', 'examples', 'default']);

/** Several schemas of which one holds: what they have in common, or anything. */
function anyOf(schemas: readonly Json[]): Json {
  const others = schemas.filter(({ type }) => type !== 'null');
  const nullable = others.length < schemas.length ? { nullable: true } : {};
  if (others.length === 1) {
    const one = older(others[0]);
    return one.$ref === undefined ? { ...one, ...nullable } : { allOf: [one], ...nullable };
  }
  const [type, ...more] = new Set(others.map((one) => one.type));
  const isPlain = more.length === 0 && type !== undefined && type !== 'object';
  return { type: isPlain ? type : 'object', ...nullable };
}

function member(name: string, value: Json): Json {
  if (LEFT_OUT.has(name) || (name === 'const' && value === null)) return {};
  if (name === 'properties')
    return {
      properties: Object.fromEntries(Object.entries(value).map(([key, of]) => [key, older(of)])),
    };
  if (name === 'const') return { enum: [value] };
  if (name === 'anyOf' || name === 'oneOf') return anyOf(value);
  if (name === 'exclusiveMinimum') return { minimum: value, exclusiveMinimum: true };
  if (name === 'exclusiveMaximum') return { maximum: value, exclusiveMaximum: true };
  if ((name === 'type' || name === 'enum') && Array.isArray(value)) {
    const others = value.filter((one) => one !== null && one !== 'null');
    return {
      [name]: name === 'type' ? others[0] : others,
      ...(others.length < value.length && { nullable: true }),
    };
  }
  return { [name]: older(value) };
}

function older(part: Json): Json {
  if (Array.isArray(part)) return part.map(older);
  if (typeof part !== 'object' || part === null) return part;
  return Object.assign({}, ...Object.entries(part).map(([name, value]) => member(name, value)));
}

/**
 * A document of OpenAPI 3.1 as 3.0, for generators that know no other: without patterns, and of an
 * operation with several answers the whole one.
 */
export function asOpenApi30(document: Json): Json {
  const whole = structuredClone(document);
  for (const path of Object.values<Json>(whole.paths))
    for (const { responses = {} } of Object.values<Json>(path))
      for (const { content } of Object.values<Json>(responses)) {
        const json = content?.['application/json'];
        if (json?.schema?.anyOf !== undefined) json.schema = json.schema.anyOf[0];
      }
  return { ...older(whole), openapi: '3.0.3' };
}
