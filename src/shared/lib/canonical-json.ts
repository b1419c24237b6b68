export type CanonicalJsonCode =
  | 'number_not_finite'
  | 'unsupported_type'
  | 'undefined_value'
  | 'lone_surrogate'
  | 'not_plain_object'
  | 'cycle'
  | 'too_deep';

/**
 * Thrown for a value without canonical JSON. `path` is a JSON Pointer (RFC 6901) to the fault, ''
 * for the whole value.
 */
export class CanonicalJsonError extends Error {
  override name = 'CanonicalJsonError';
  readonly code: CanonicalJsonCode;
  readonly path: string;
  constructor(code: CanonicalJsonCode, path: string) {
    super(`No canonical JSON: ${code} at "${path}".`);
    this.code = code;
    this.path = path;
  }
}

/**
 * Deepest nesting of arrays and objects. Stored documents nest at most 32 levels, inside a few
 * levels of our own.
 */
export const MAX_DEPTH = 128;

/** Thrown inside this file only: the hot path then needs neither paths nor error objects. */
const FAULT = Symbol('fault');
const UNORDERABLE = Symbol('unorderable');

/**
 * Keys for which an ordinary object cannot keep the required order: array indices always come
 * first, and assigning to `__proto__` does not store a member.
 */
const UNORDERABLE_KEY = /^(?:[0-9]+|__proto__)$/;

/**
 * RFC 8785 (JSON Canonicalization Scheme): members sorted by UTF-16 code units, numbers as in
 * ECMAScript, minimal escaping, no white space. Undefined members are left out; anything else that
 * JSON cannot represent exactly throws CanonicalJsonError. JSON.stringify writes numbers and
 * well-formed strings as the RFC asks, so it is enough to check the value and sort its members
 * first.
 */
export function canonicalJson(value: unknown): string {
  try {
    return JSON.stringify(inOrder(value, 0));
  } catch (signal) {
    if (signal !== FAULT && signal !== UNORDERABLE) throw signal;
    const fault = faultIn(value, '', []);
    if (fault !== undefined) throw fault;
    return write(value);
  }
}

/**
 * Returns `value` itself if JSON.stringify would write it canonically, else a copy for which it
 * does. Throws a signal if there is none.
 */
function inOrder(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      if (!value.isWellFormed()) throw FAULT;
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw FAULT;
      return value;
    case 'boolean':
      return value;
    case 'object':
      if (value === null) return value;
      if (depth >= MAX_DEPTH) throw FAULT;
      return Array.isArray(value)
        ? arrayInOrder(value, depth + 1)
        : objectInOrder(value as Record<string, unknown>, depth + 1);
    default:
      throw FAULT;
  }
}

function arrayInOrder(values: readonly unknown[], depth: number): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    const ordered = inOrder(value, depth);
    if (ordered === value) continue;
    copy ??= values.slice();
    copy[index] = ordered;
  }
  return copy ?? values;
}

function objectInOrder(members: Record<string, unknown>, depth: number): Record<string, unknown> {
  if (!isPlain(members)) throw FAULT;
  const keys = Object.keys(members);
  let sorted = true;
  let ordered: Map<string, unknown> | undefined;
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] as string;
    if (index > 0 && (keys[index - 1] as string) > key) sorted = false;
    const value = members[key];
    if (value === undefined) continue;
    if (!key.isWellFormed()) throw FAULT;
    const member = inOrder(value, depth);
    if (member !== value) (ordered ??= new Map()).set(key, member);
  }
  if (sorted && ordered === undefined) return members;
  // Array.prototype.sort compares UTF-16 code units, the order of RFC 8785 3.2.3.
  keys.sort();
  const copy: Record<string, unknown> = {};
  for (const key of keys) {
    if (UNORDERABLE_KEY.test(key)) throw UNORDERABLE;
    copy[key] = ordered?.get(key) ?? members[key];
  }
  return copy;
}

/**
 * Writes a checked value member by member, which is several times slower: for the rare value with
 * keys that look like array indices.
 */
function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts = Object.keys(value)
    .sort()
    .flatMap((key) => {
      const member = (value as Record<string, unknown>)[key];
      return member === undefined ? [] : [`${JSON.stringify(key)}:${write(member)}`];
    });
  return `{${parts.join(',')}}`;
}

/**
 * An object literal, or one made by JSON.parse or structured clone in this or another realm; not an
 * instance of any class.
 */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    prototype === Object.prototype ||
    prototype === null ||
    Object.getPrototypeOf(prototype) === null
  );
}

/**
 * The first fault in canonical order, or undefined. Slow; called once, after the fast path has
 * failed.
 */
function faultIn(
  value: unknown,
  path: string,
  ancestors: readonly object[],
): CanonicalJsonError | undefined {
  if (typeof value === 'string')
    return value.isWellFormed() ? undefined : new CanonicalJsonError('lone_surrogate', path);
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : new CanonicalJsonError('number_not_finite', path);
  if (value === undefined) return new CanonicalJsonError('undefined_value', path);
  if (typeof value === 'boolean' || value === null) return undefined;
  if (typeof value !== 'object') return new CanonicalJsonError('unsupported_type', path);
  if (ancestors.includes(value)) return new CanonicalJsonError('cycle', path);
  if (ancestors.length >= MAX_DEPTH) return new CanonicalJsonError('too_deep', path);
  const inside = [...ancestors, value];
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const fault = faultIn(value[index], `${path}/${index}`, inside);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  if (!isPlain(value)) return new CanonicalJsonError('not_plain_object', path);
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key];
    const memberPath = `${path}/${key.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (member === undefined) continue;
    const fault = key.isWellFormed()
      ? faultIn(member, memberPath, inside)
      : new CanonicalJsonError('lone_surrogate', memberPath);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
