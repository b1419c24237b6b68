import { hearStatements } from '../../support/heard-statements.ts';
import { namesAccount } from '../../support/names-account.ts';
import { OWNERS } from '../../../src/server/storage/db/schema/row-security.ts';

/**
 * Columns by which a statement is held to one account: its identifier, or a key that was found by
 * it in the same transaction.
 */
const BINDING: Readonly<Record<string, readonly string[]>> = {
  profiles: ['profile_pk'],
  users: ['user_id', 'email'],
  passwords: ['user_id'],
  tried_passwords: ['user_id'],
  members: ['user_id'],
  api_keys: ['key_id'],
  sessions: ['hash', 'session_id', 'user_id'],
  sign_in_links: ['hash'],
  invitations: ['hash'],
};

/**
 * What is for every account at once: the server's own upkeep, and the operator's end of a person's
 * access.
 */
const UPKEEP = [
  /^(delete from "(sign_in_links|invitations)"|select "key_id" from "api_keys") where \(?"user_id" = \?/,
  /^delete from "(sessions|sign_in_links)" where "expires_at" <= \?$/,
  // The accounts whose rows upkeep then goes through one after another.
  /^select "account_id" from "accounts" where account_id >= \? order by "account_id"( limit \?)?$/,
];

function columnsOf(table: string): readonly string[] {
  const owner = (OWNERS as Readonly<Record<string, unknown>>)[table];
  if (owner === undefined || owner === 'everyone') return [];
  if (owner === 'number' || owner === 'mark') return ['account'];
  const own =
    typeof owner === 'object' && owner !== null && 'by' in owner
      ? [String(owner.by)]
      : ['account_id'];
  return [...own, ...(BINDING[table] ?? [])];
}

/** Tables that a statement reads or changes without one of these columns in a condition. */
function unbound(statement: string): string[] {
  if (UPKEEP.some((pattern) => pattern.test(statement))) return [];
  if (!namesAccount(statement)) return ['a numbered table'];
  const tables = [...statement.matchAll(/(?:\bfrom|\bjoin|^update)\s+"?(\w+)"?/gi)].map(
    ([, table = '']) => table,
  );
  return tables.filter((table) => {
    const columns = columnsOf(table);
    if (columns.length === 0) return false;
    const compared = new RegExp(
      `\\b(?:${columns.join('|')})"?\\s*(?:=|in\\b|is\\b)|=\\s*(?:"?\\w+"?\\.)?"?(?:${columns.join('|')})\\b`,
      'i',
    );
    return !compared.test(statement);
  });
}

/** Statements without an account, of all that the stores of this process ask from here on. */
export function hearUnbound(): Disposable & { unbound(): string[] } {
  const listening = hearStatements();
  return {
    unbound: () =>
      [...listening.heard].flatMap((statement) =>
        unbound(statement).map((table) => `${table}: ${statement}`),
      ),
    [Symbol.dispose]: () => listening[Symbol.dispose](),
  };
}
