import { StoreError } from './errors.ts';

type CursorPart = string | number;

/**
 * An opaque cursor: the sort key of the last row of a page. `kind` keeps a cursor of one list from
 * being used in another.
 */
export function writeCursor(kind: string, parts: readonly CursorPart[]): string {
  return Buffer.from(JSON.stringify([kind, ...parts])).toString('base64url');
}

function refuse(): never {
  throw new StoreError('invalid_query', 'The cursor is not one that this list gave out.', [
    {
      path: 'cursor',
      code: 'invalid_cursor',
      message: 'Use next_cursor of the previous page as it is.',
    },
  ]);
}

/** `whole`: of a column of integers, which PostgreSQL compares with no other number. */
type PartType = 'string' | 'number' | 'whole';

function isOf(type: PartType | undefined, part: unknown): boolean {
  if (type === 'string')
    return typeof part === 'string' && part.isWellFormed() && !part.includes('\0');
  return type === 'whole' ? Number.isSafeInteger(part) : Number.isFinite(part);
}

/** Parts of a cursor, of the types given. Throws StoreError invalid_query. */
export function readCursor(kind: string, types: readonly PartType[], cursor: string): CursorPart[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(cursor, 'base64url')),
    );
  } catch {
    refuse();
  }
  if (!Array.isArray(parsed) || parsed.length !== types.length + 1 || parsed[0] !== kind) refuse();
  const parts: unknown[] = parsed.slice(1);
  if (!parts.every((part, index) => isOf(types[index], part))) refuse();
  return parts as CursorPart[];
}

export interface Page {
  limit: number;
  /** Opaque: `next_cursor` of the page before; undefined for the first page. */
  cursor: string | undefined;
}

export interface Listed<T> {
  data: T[];
  next_cursor: string | null;
}
