import { ApiError } from '../context/errors.ts';
import { findJsonFault } from './json-fault.ts';

export const MAX_DEPTH = 32;
/**
 * Limits far above anything that this service accepts. A body of many tiny values takes much longer
 * to parse than its size suggests.
 */
export const MAX_MEMBERS = 20_000;
export const MAX_VALUES = 1_000_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Index of the quote that ends the string opened at `open`, or the text's length where none does.
 */
function endOfString(text: string, open: number): number {
  for (
    let quote = text.indexOf('"', open + 1);
    quote !== -1;
    quote = text.indexOf('"', quote + 1)
  ) {
    let before = quote - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 1) return quote;
  }
  return text.length;
}

function isNumberPart(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2e ||
    code === 0x2b ||
    code === 0x2d ||
    code === 0x45 ||
    code === 0x65
  );
}

/**
 * Refuses whole numbers beyond 2^53, which would be rounded silently, and numbers that overflow to
 * Infinity.
 */
function checkNumber(token: string): void {
  const whole = !/[.eE]/.test(token);
  if (whole ? !Number.isSafeInteger(Number(token)) : !Number.isFinite(Number(token))) {
    throw new ApiError('invalid_json', {
      message: 'A number in the body cannot be held exactly; send long identifiers as text.',
    });
  }
}

function tooMuch(): ApiError {
  return new ApiError('invalid_json', {
    message: `The body holds more than ${MAX_VALUES} values, or an object more than ${MAX_MEMBERS} members.`,
  });
}

/**
 * Checks depth, amount and numbers in one pass; returns how many object members the text writes.
 * Syntax errors are left to the parser.
 */
function scan(text: string): number {
  let depth = 0;
  let members = 0;
  let values = 0;
  const membersAt = new Int32Array(MAX_DEPTH + 1);
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i);
    else if (code === 0x2c) {
      values += 1;
      if (values > MAX_VALUES) throw tooMuch();
    } else if (code === 0x3a) {
      members += 1;
      membersAt[depth]! += 1;
      if (membersAt[depth]! > MAX_MEMBERS) throw tooMuch();
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > MAX_DEPTH) throw new ApiError('json_too_deep');
      membersAt[depth] = 0;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
    else if ((code >= 0x30 && code <= 0x39) || code === 0x2d) {
      const start = i;
      let exponent = false;
      while (isNumberPart(text.charCodeAt(i + 1))) {
        i += 1;
        exponent ||= (text.charCodeAt(i) | 0x20) === 0x65;
      }
      if (exponent || i - start >= 15) checkNumber(text.slice(start, i + 1));
    }
  }
  return members;
}

/**
 * Counts the members that the parser has kept. `__proto__` is an own key here, but would set the
 * prototype in the first careless copy, so it is refused.
 */
function countMembers(value: object): number {
  let count = 0;
  if (Array.isArray(value)) {
    for (const entry of value as unknown[])
      if (typeof entry === 'object' && entry !== null) count += countMembers(entry);
    return count;
  }
  for (const key in value) {
    if (key === '__proto__') throw new ApiError('forbidden_key');
    count += 1;
    const entry = (value as Record<string, unknown>)[key];
    if (typeof entry === 'object' && entry !== null) count += countMembers(entry);
  }
  return count;
}

/**
 * Reads JSON text and refuses what JSON.parse would accept silently: deep nesting, rounded numbers,
 * `__proto__`, and a key written twice (with escapes too). JSON.parse keeps the last of two equal
 * keys, so a repeated key shows as a missing member.
 */
export function parseJson(text: string): unknown {
  const written = scan(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { line, column, isEnd } = findJsonFault(text);
    const what = isEnd ? 'ends before it is whole' : 'stops being JSON';
    throw new ApiError('invalid_json', {
      message: `The body ${what} at line ${line}, column ${column}.`,
    });
  }
  const kept = typeof value === 'object' && value !== null ? countMembers(value) : 0;
  if (kept !== written) throw new ApiError('duplicate_key');
  return value;
}
