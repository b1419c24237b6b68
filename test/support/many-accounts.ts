import { MARK_ACCOUNTS } from './mark-accounts.ts';

/**
 * Rows of many accounts, put beside the store's own in SQL: what a server holds that has been used
 * by others for years.
 */
export interface Many {
  engine: 'sqlite' | 'postgres';
  accounts: number;
  /** Of each account. */
  cases: number;
  /** Of each case. */
  items: number;
  /** The one of all cases; each account has a private one of that name too. */
  profile: { uid: string; version: string };
  /** Keys of its rules, one after the other. */
  rules: readonly number[];
}

const ZEROS = `'${'0'.repeat(64)}'`;
const AT = `'2026-01-01T00:00:00.000Z'`;
/** Keys far from those that the store gives out itself. */
const FAR = 1_000_000;
const text = (of: string): string => `CAST(${of} AS TEXT)`;
const hash = (of: string): string => `substr(${text(`1000000000 + ${of}`)} || ${ZEROS}, 1, 64)`;
const NUMBERS = {
  sqlite: (count: number): string =>
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`,
  postgres: (count: number): string =>
    `WITH n (i) AS NOT MATERIALIZED (SELECT i FROM generate_series(1, ${count}) AS s (i))`,
};

export function manyAccounts({ engine, accounts, cases, items, profile, rules }: Many): string[] {
  const all = accounts * cases;
  const account = (of: string): string => `'acc_' || ${text(`1 + (${of} - 1) / ${cases}`)}`;
  const numberOf = (id: string): string =>
    `(SELECT account FROM accounts WHERE account_id = ${id})`;
  const blob = engine === 'sqlite' ? `x''` : `''::bytea`;
  const numbers = NUMBERS[engine];
  const [rule = 0] = rules;
  if (rules.some((pk, index) => pk !== rule + index))
    throw new RangeError('The keys of the rules do not follow each other.');
  const into = (count: number, table: string, columns: string, values: string): string =>
    `INSERT INTO ${table} (${columns}) ${numbers(count)} SELECT ${values} FROM n`;
  const named = `'${profile.uid}', '${profile.version}'`;
  return [
    into(
      accounts,
      'accounts',
      'account_id, name, created_at',
      `'acc_' || ${text('i')}, 'Team', ${AT}`,
    ),
    MARK_ACCOUNTS,
    into(accounts, 'users', 'user_id, name, created_at', `'usr_' || ${text('i')}, 'User', ${AT}`),
    into(
      accounts,
      'members',
      'account_id, user_id, role',
      `'acc_' || ${text('i')}, 'usr_' || ${text('i')}, 'owner'`,
    ),
    into(
      accounts * 5,
      'subscriptions',
      'account, subscription_id, way, events, created_by, created_at',
      `${numberOf(`'acc_' || ${text(`1 + (i - 1) / 5`)}`)}, 'sub_' || ${text('i')}, 'mail', '["decisions"]',
        'usr_' || ${text(`1 + (i - 1) / 5`)}, ${AT}`,
    ),
    into(
      accounts,
      'api_keys',
      'key_id, account_id, user_id, name, prefix, scopes, created_at, mac',
      `'k' || ${text('i')}, 'acc_' || ${text('i')}, 'usr_' || ${text('i')}, 'k', 'p', '[]', ${AT}, ${ZEROS}`,
    ),
    into(
      accounts,
      'projects',
      'account, project_pk, project_id, name, name_key, description, domain, created_at, updated_at',
      `${numberOf(`'acc_' || ${text('i')}`)}, ${FAR} + i, 'prj_' || ${text('i')}, 'P', 'p', '', 'general', ${AT}, ${AT}`,
    ),
    into(
      20 * accounts,
      'profiles',
      'account_id, profile_uid, version, visibility, document, digest, entry, created_at',
      `'acc_' || ${text('1 + (i - 1) / 20')}, CASE (i - 1) % 20 WHEN 0 THEN '${profile.uid}' ` +
        `ELSE 'own_' || ${text('(i - 1) % 20')} END, '${profile.version}', 'private', ` +
        `'{}', 'd', '{}', ${AT}`,
    ),
    into(
      5 * accounts,
      'profile_choices',
      'account, profile_uid, version, digest',
      `${numberOf(`'acc_' || ${text('1 + (i - 1) / 5')}`)}, 'own_' || ${text('1 + (i - 1) % 5')}, '${profile.version}', 'd'`,
    ),
    into(
      5 * accounts,
      'profile_decisions',
      'account, profile_uid, version, digest, decision, decided_by, decided_at',
      `${numberOf(`'acc_' || ${text('1 + (i - 1) / 5')}`)}, 'own_' || ${text('1 + (i - 1) % 5')}, '${profile.version}', 'd', 'keep', 'u', ${AT}`,
    ),
    into(accounts, 'audit_heads', 'account_id, seq, hash', `'acc_' || ${text('i')}, 1, ${ZEROS}`),
    into(
      all,
      'streams',
      'account, stream_pk, name, seq, chain, count, sum, hlc',
      `${numberOf(account('i'))}, ${FAR} + i, 'case-' || ${text('i')}, 1, ${ZEROS}, 1, ${ZEROS}, ''`,
    ),
    into(
      all,
      'changes',
      'account, stream_pk, seq, change_id, text, chain, hlc, wall, received_at, actor, author, author_kind',
      `${numberOf(account('i'))}, ${FAR} + i, 1, substr(${hash('i')}, 1, 46), '{}', ${ZEROS}, '', ${AT}, ${AT}, 'u', 'u', 'human'`,
    ),
    into(
      all,
      'cases',
      'account, case_pk, case_uid, stream_pk, project_id, title, description, ' +
        'case_type, metadata, profile_uid, profile_version, item_rows, item_count, ' +
        'created_at, updated_at',
      `${numberOf(account('i'))}, ${FAR} + i, 'case-' || ${text('i')}, ${FAR} + i, ` +
        `'prj_' || ${text(`1 + (i - 1) / ${cases}`)}, 'T', '', 'general', '{}', ` +
        `${named}, ${items}, ${items}, ${AT}, ${AT}`,
    ),
    into(
      all,
      'matrices',
      'account, matrix_pk, case_pk, profile_uid, profile_version',
      `${numberOf(account('i'))}, ${FAR} + i, ${FAR} + i, ${named}`,
    ),
    into(
      all * items,
      'items',
      'account, item_pk, case_pk, item_uid, position, heads, created_at, updated_at',
      `${numberOf(account(`(1 + (i - 1) / ${items})`))}, 10 * ${FAR} + i, ${FAR} + 1 + (i - 1) / ${items}, 'item-' || ${text('i')}, i, '{}', ${AT}, ${AT}`,
    ),
    into(
      accounts * rules.length,
      'rules',
      'account, rule_pk, rule_uid',
      `${numberOf(`'acc_' || ${text(`1 + (i - 1) / ${rules.length}`)}`)}, ` +
        `${rule} + (i - 1) % ${rules.length}, 'rule_' || ${text(`1 + (i - 1) % ${rules.length}`)}`,
    ),
    into(
      all * rules.length,
      'tallies',
      'account, matrix_pk, rule_pk, n_false, n_true, n_na',
      `${numberOf(account(`(1 + (i - 1) / ${rules.length})`))}, ${FAR} + 1 + (i - 1) / ${rules.length}, ${rule} + (i - 1) % ${rules.length}, ${items}, 0, 0`,
    ),
    into(
      all * items * rules.length,
      'cells',
      'account, matrix_pk, item_pk, rule_pk, raw, head_seq, head_index',
      `${numberOf(account(`(1 + (i - 1) / ${items * rules.length})`))}, ${FAR} + 1 + (i - 1) / ${items * rules.length}, 10 * ${FAR} + 1 + (i - 1) / ` +
        `${rules.length}, ${rule} + (i - 1) % ${rules.length}, 1, 1, 0`,
    ),
    into(
      accounts,
      'usage_months',
      'account, month, requests, cells_written, runs',
      `${numberOf(`'acc_' || ${text('i')}`)}, '2026-01', 1, 1, 1`,
    ),
    into(
      accounts,
      'extra_heads',
      'account, stream_pk, reg, seq, idx',
      `${numberOf(account('i'))}, ${FAR} + i, 'case/title', 1, 0`,
    ),
    into(
      accounts,
      'cited',
      'account, stream_pk, reg, name',
      `${numberOf(account('i'))}, ${FAR} + i, 'case/title', 'n'`,
    ),
    into(
      all,
      'registers',
      'account, stream_pk, reg, head_seq, head_index',
      `${numberOf(account('i'))}, ${FAR} + i, 'case/title', 1, 0`,
    ),
    into(
      all,
      'runs',
      'account, run_pk, run_uid, case_uid, project_id, profile_uid, profile_version, content_hash, entry, created_at',
      `${numberOf(account('i'))}, ${FAR} + i, 'run-' || ${text('i')}, 'case-' || ${text('i')}, 'prj', ${named}, ${hash('i')}, '{}', ${AT}`,
    ),
    into(
      all * items,
      'suggestions',
      'account, stream_pk, profile_uid, profile_version, rule_uid, item_uid, source, head_seq, head_index',
      `${numberOf(account(`(1 + (i - 1) / ${items})`))}, ${FAR} + 1 + (i - 1) / ${items}, ${named}, ` +
        `'rule_1', 'item-' || ${text('i')}, 'k123456789', 1, 0`,
    ),
    into(
      all * items,
      'acceptances',
      'account, stream_pk, seq, idx, suggestion, from_seq',
      `${numberOf(account(`(1 + (i - 1) / ${items})`))}, ${FAR} + 1 + (i - 1) / ${items}, 1, i, 's', 1`,
    ),
    into(
      all,
      'hidden_runs',
      'account, run_uid, case_uid',
      `${numberOf(account('i'))}, 'run-' || ${text('i')}, 'another-' || ${text('i')}`,
    ),
    into(
      5 * accounts,
      'retired_profiles',
      'account, profile_uid',
      `${numberOf(`'acc_' || ${text('1 + (i - 1) / 5')}`)}, 'own_' || ${text('1 + (i - 1) % 5')}`,
    ),
    into(
      all,
      'run_counts',
      'account, case_uid, runs',
      `${numberOf(account('i'))}, 'case-' || ${text('i')}, 1`,
    ),
    into(
      all,
      'awaited_runs',
      'account, run_uid, content_hash, case_uid',
      `${numberOf(account('i'))}, 'awaited-' || ${text('i')}, ${hash('i')}, 'case-' || ${text('i')}`,
    ),
    into(
      all,
      'run_contents',
      'account, content_hash, packed, reproduced',
      `${numberOf(account('i'))}, ${hash('i')}, ${blob}, 1`,
    ),
    into(
      all,
      'run_recorders',
      'account, run_uid, content_hash, packed',
      `${numberOf(account('i'))}, 'run-' || ${text('i')}, ${hash('i')}, ${blob}`,
    ),
    into(
      20 * accounts,
      'manifest_copies',
      'account, content_hash, came_at, packed',
      `${numberOf(`'acc_' || ${text('1 + (i - 1) / 20')}`)}, ${hash('i')}, ${AT}, ${blob}`,
    ),
    into(
      20 * accounts,
      'damaged_contents',
      'account, content_hash, found_at',
      `${numberOf(`'acc_' || ${text('1 + (i - 1) / 20')}`)}, ${hash('i')}, ${AT}`,
    ),
    into(
      all,
      'blobs',
      'account, sha256, copy, packed',
      `${numberOf(account('i'))}, ${hash('i')}, 0, ${blob}`,
    ),
    into(
      all,
      'outside_blobs',
      'account, sha256, copy',
      `${numberOf(account('i'))}, ${hash('i')}, 1`,
    ),
    into(
      all,
      'idempotency',
      'account, operation, key, body_digest, status, headers, body, created_ms',
      `${numberOf(account('i'))}, 'recordEvidence', ${text('i')}, 'd', 200, '{}', '', i`,
    ),
    into(
      all,
      'usage_events',
      'account, event_pk, at, action, status',
      `${numberOf(account('i'))}, i, ${AT}, 'a', 200`,
    ),
    into(
      all,
      'audit_events',
      'account_id, seq, at, action, detail, kind, name, hash',
      `${account('i')}, 1 + (i - 1) % ${cases}, ${AT}, 'run.created', '{}', 'human', 'n', ${ZEROS}`,
    ),
  ];
}
