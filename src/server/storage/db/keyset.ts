import { type Expression, sql, type SqlBool } from 'kysely';
import { readCursor, writeCursor } from './cursor.ts';

/**
 * The order of a list: by `column`, and by the key where rows agree in it; by the key alone without
 * one. Every such order needs an index, or a page costs what the whole list does.
 */
export interface Keyset {
  /** Names the list in its cursors. */
  list: string;
  key: string;
  column?: string | undefined;
  descending?: boolean | undefined;
}

/** A cursor of one order is none of another. */
const kindOf = ({ list, column, descending }: Keyset): string =>
  [list, ...(column === undefined ? [] : [column]), ...(descending === true ? ['desc'] : [])].join(
    ' ',
  );

export function orderOf({ key, column, descending }: Keyset): Expression<unknown> {
  const way = sql.raw(descending === true ? ' desc' : '');
  const names = [...(column === undefined ? [] : [column]), key];
  return sql.join(names.map((name) => sql`${sql.ref(name)}${way}`));
}

/** The rows after the one that the cursor names. Throws StoreError invalid_query. */
export function isAfter(keyset: Keyset, cursor: string): Expression<SqlBool> {
  const { key, column, descending } = keyset;
  const follows = sql.raw(descending === true ? '<' : '>');
  const kind = kindOf(keyset);
  if (column === undefined) {
    const [at] = readCursor(kind, ['whole'], cursor);
    return sql<SqlBool>`${sql.ref(key)} ${follows} ${at}`;
  }
  const [value, at] = readCursor(kind, ['string', 'whole'], cursor);
  return sql<SqlBool>`(${sql.ref(column)}, ${sql.ref(key)}) ${follows} (${value}, ${at})`;
}

/** `next_cursor` after the row with these values. */
export const cursorAfter = (keyset: Keyset, key: number, value: string): string =>
  writeCursor(kindOf(keyset), keyset.column === undefined ? [key] : [value, key]);

const ESCAPED = /[\\%_]/g;

/** Whether one of these columns holds the text; A to Z in either case, on both engines. */
export function holds(columns: readonly string[], text: string): Expression<SqlBool> {
  const wanted = text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  const pattern = `%${wanted.replaceAll(ESCAPED, (sign) => `\\${sign}`)}%`;
  const tests = columns.map(
    (column) => sql<SqlBool>`lower(${sql.ref(column)}) LIKE ${pattern} ESCAPE '\\'`,
  );
  return sql<SqlBool>`(${sql.join(tests, sql` OR `)})`;
}
