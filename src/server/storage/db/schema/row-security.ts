import type { StoreTables } from './schema.ts';

/** The account of a PostgreSQL transaction. */
export const ACCOUNT_SETTING = 'evidence_studio.account';
/** The number of that account (`DatabaseSession.account`). */
export const NUMBER_SETTING = 'evidence_studio.account_number';
/** Set by a transaction that takes blobs out of one table, which are in the other. */
export const MOVING_SETTING = 'evidence_studio.moves_blobs';
const CASE_SETTING = 'evidence_studio.case';

/**
 * Whose a table's rows are. `number`: the account's whose number leads the table's keys. `mark`:
 * the same, and read and made for accounts that the transaction is not about. `account`: that of
 * their `account_id`. `sign-in`: the same, and looked up before an account is known. `user`: the
 * accounts' that the user is a member of. With a parent: whose the parent's row is. `everyone`: no
 * account's.
 */
type RowOwner =
  | 'account'
  | 'sign-in'
  | 'user'
  | 'profile'
  | 'everyone'
  | 'number'
  | 'mark'
  | { of: keyof StoreTables; by: string };

const OF_STREAM = { of: 'streams', by: 'stream_pk' } as const;
const OF_CASE = { of: 'cases', by: 'case_pk' } as const;
const OF_MATRIX = { of: 'matrices', by: 'matrix_pk' } as const;

/** The tables that the third migration finds or makes, and guards. */
export const GUARDED_FIRST = {
  meta: 'everyone',
  uplink: 'everyone',
  setup_tokens: 'everyone',
  sign_in_limits: 'everyone',
  spending: 'everyone',
  accounts: 'sign-in',
  members: 'sign-in',
  users: 'user',
  passwords: 'user',
  api_keys: 'sign-in',
  sessions: 'sign-in',
  sign_in_links: 'sign-in',
  invitations: 'sign-in',
  streams: 'account',
  changes: OF_STREAM,
  registers: OF_STREAM,
  extra_heads: OF_STREAM,
  cited: OF_STREAM,
  links: OF_STREAM,
  unsendable: OF_STREAM,
  projects: 'account',
  shared_projects: 'account',
  cases: 'account',
  items: OF_CASE,
  matrices: OF_CASE,
  tallies: OF_MATRIX,
  cells: OF_MATRIX,
  profiles: 'profile',
  runs: 'account',
  first_runs: 'account',
  run_contents: 'account',
  blobs: 'account',
  uploads: 'account',
  awaited_runs: 'account',
  owed_runs: 'account',
  idempotency: 'account',
  usage_events: 'account',
  usage_months: 'account',
  audit_events: 'sign-in',
  audit_heads: 'sign-in',
} as const satisfies Partial<Record<keyof StoreTables, RowOwner>>;

type FirstTable = keyof typeof GUARDED_FIRST;

/**
 * Every table is here: the type asks for it. One that a later migration makes is added here, and
 * that migration calls `guard` for it.
 */
export const OWNERS = {
  ...GUARDED_FIRST,
  account_marks: 'mark',
  streams: 'number',
  changes: 'number',
  registers: 'number',
  extra_heads: 'number',
  cited: 'number',
  links: 'number',
  unsendable: 'number',
  tried_passwords: 'user',
  runs: 'number',
  first_runs: 'number',
  run_contents: 'number',
  run_recorders: 'number',
  run_counts: 'number',
  hidden_runs: 'number',
  retired_profiles: 'number',
  awaited_runs: 'number',
  owed_runs: 'number',
  damaged_contents: 'number',
  manifest_copies: 'number',
  blobs: 'number',
  uploads: 'number',
  outside_blobs: 'number',
  round_entries: 'number',
  round_titles: 'number',
  thread_entries: 'number',
  threads: 'number',
  thread_waits: 'number',
  assignments: 'number',
  sign_offs: 'number',
  time_stamp_requests: 'number',
  stamping_accounts: 'everyone',
  subscriptions: 'number',
  notices: 'number',
  notified_accounts: 'everyone',
  idempotency: 'number',
  usage_events: 'number',
  usage_months: 'number',
  profile_owners: 'everyone',
  profile_choices: 'number',
  profile_decisions: 'number',
  projects: 'number',
  shared_projects: 'number',
  cases: 'number',
  items: 'number',
  rules: 'number',
  matrices: 'number',
  tallies: 'number',
  cells: 'number',
  suggestions: 'number',
  acceptances: 'number',
} as const satisfies Record<keyof StoreTables, RowOwner>;

const NUMBERED: ReadonlySet<string> = new Set(
  Object.entries(OWNERS).flatMap(([table, owner]) => (owner === 'number' ? [table] : [])),
);
/** Whether the number of the account leads the keys of the table. */
export const isNumbered = (table: keyof StoreTables): boolean => NUMBERED.has(table);

const CURRENT = `current_setting('${ACCOUNT_SETTING}', true)`;
const CASE_AT_HAND = `nullif(current_setting('${CASE_SETTING}', true), '')::bigint`;
const OWN_NUMBER = `account = nullif(current_setting('${NUMBER_SETTING}', true), '')::bigint`;
const OWN = `${CURRENT} IN ('*', account_id)`;

/**
 * USING, and WITH CHECK where it differs, of a table's one policy. OFFSET 0 keeps the planner from
 * reading all parents instead of the one that is asked for.
 */
function policy(table: keyof StoreTables, owner: Exclude<RowOwner, 'everyone'>): string {
  switch (owner) {
    // No look into other tables, nothing for each row: the planner compares it with the statement's
    // own account once.
    case 'number':
      return `USING (${OWN_NUMBER})`;
    case 'mark':
      return `USING (${OWN_NUMBER} OR coalesce(${CURRENT}, '') IN ('', '*'))`;
    case 'account':
      return `USING (${OWN})`;
    case 'sign-in':
      return `USING (coalesce(${CURRENT}, '') IN ('', '*', account_id))`;
    // A user is made before their membership.
    case 'user':
      return `USING (coalesce(${CURRENT}, '') IN ('', '*') OR EXISTS (SELECT FROM members
        WHERE members.user_id = ${table}.user_id
        AND members.account_id = ${CURRENT} OFFSET 0)) WITH CHECK (true)`;
    case 'profile':
      return `USING (${OWN} OR account_id IS NULL OR visibility = 'community') WITH CHECK (${OWN}
        OR (account_id IS NULL AND ${CURRENT} = '*'))`;
    // The parent's own policy holds inside.
    default:
      return `USING (${hasOwnParent(table, owner)})`;
  }
}

const hasOwnParent = (
  table: keyof StoreTables,
  { of, by }: { of: keyof StoreTables; by: string },
): string => `EXISTS (SELECT FROM ${of} WHERE ${of}.${by} = ${table}.${by} OFFSET 0)`;

/** Statements that put a table of PostgreSQL behind its policy, for the table's owner too. */
export function guard(table: keyof StoreTables): string[] {
  const owner = guardedFirst(table);
  if (owner === 'everyone') return [];
  return [...force(table), `CREATE POLICY own_account ON ${table} ${policy(table, owner)}`];
}

/** Tables had no number when they were first guarded. */
function guardedFirst(table: keyof StoreTables): RowOwner {
  if (table in GUARDED_FIRST) return GUARDED_FIRST[table as FirstTable];
  return OWNERS[table] === 'number' ? 'account' : OWNERS[table];
}

const force = (table: keyof StoreTables): string[] => [
  `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`,
  `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`,
];

/** Statements that put a table behind the number of its account instead. */
export const guardByNumber = (table: keyof StoreTables): string[] => [
  ...force(table),
  `DROP POLICY IF EXISTS own_account ON ${table}`,
  `CREATE POLICY own_account ON ${table} ${policy(table, 'number')}`,
];

/**
 * What belongs to the case at hand, asked once a statement; any other row is looked up by itself.
 */
const AT_HAND = {
  items: `case_pk = (SELECT case_pk FROM cases WHERE case_pk = ${CASE_AT_HAND})`,
  matrices: `case_pk = (SELECT case_pk FROM cases WHERE case_pk = ${CASE_AT_HAND})`,
  tallies: `matrix_pk = ANY (ARRAY(SELECT matrix_pk FROM matrices WHERE case_pk = ${CASE_AT_HAND}))`,
  cells: `matrix_pk = ANY (ARRAY(SELECT matrix_pk FROM matrices WHERE case_pk = ${CASE_AT_HAND}))`,
} as const;

/**
 * Statements by which the policies of a case's many rows ask first whether they are the case's at
 * hand.
 */
export function guardAtHand(): string[] {
  return (Object.keys(AT_HAND) as (keyof typeof AT_HAND)[]).map(
    (table) =>
      `ALTER POLICY own_account ON ${table} USING (${AT_HAND[table]} OR ${hasOwnParent(table, GUARDED_FIRST[table])})`,
  );
}

/**
 * Statements that show every account what others have published: their word for it, not what the
 * document says of itself.
 */
export function guardPublished(): string[] {
  return [
    `ALTER POLICY own_account ON profiles USING (${OWN} OR account_id IS NULL OR published = 1)`,
  ];
}
