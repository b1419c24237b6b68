import { OWNERS } from '../../src/server/storage/db/schema/row-security.ts';

const NUMBERED = Object.entries(OWNERS).flatMap(([table, owner]) =>
  owner === 'number' ? [table] : [],
);
/** A numbered table that a statement reads or changes. */
const MENTION = new RegExp(`\\b(?:from|join|update|into) "?(?:${NUMBERED.join('|')})"?\\b`, 'gi');
const CONDITION = /\baccount"? = /g;
const INSERTED = /^insert into [^(]*\([^)]*\baccount\b/i;

/**
 * Whether a statement names the account once for each numbered table in it. Row-level security
 * would hold without; but only then does a plan begin at the account, and stay with its rows.
 */
export const namesAccount = (statement: string): boolean =>
  [...statement.matchAll(MENTION)].length <=
  [...statement.matchAll(CONDITION)].length + (INSERTED.test(statement) ? 1 : 0);
