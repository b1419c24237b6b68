import { StoreError } from './port.ts';

type Part = string | number;

/** An opaque cursor: the sort key of the last row of a page. `kind` keeps a cursor of one list from being used in another. */
export function writeCursor(kind: string, parts: readonly Part[]): string {
  return Buffer.from(JSON.stringify([kind, ...parts])).toString('base64url');
}

function refuse(): never {
  throw new StoreError('invalid_query', 'The cursor is not one that this list gave out.', [{ path: 'cursor', code: 'invalid_cursor', message: 'Use next_cursor of the former page as it is.' }]);
}

/** Parts of a cursor, of the types given. Throws StoreError invalid_query. */
export function readCursor(kind: string, types: readonly ('string' | 'number')[], cursor: string): Part[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(cursor, 'base64url')));
  } catch {
    refuse();
  }
  if (!Array.isArray(parsed) || parsed.length !== types.length + 1 || parsed[0] !== kind) refuse();
  const parts: unknown[] = parsed.slice(1);
  const fits = parts.every((part, index) => typeof part === types[index] && (typeof part === 'string' ? part.isWellFormed() && !part.includes('\0') : Number.isFinite(part)));
  if (!fits) refuse();
  return parts as Part[];
}
