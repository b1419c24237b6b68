import type { SqlWords } from './sql-words.ts';

/** The logs, what is applied of them, and the links that exchange them. */
export const LOGS = [
  'streams',
  'changes',
  'registers',
  'extra_heads',
  'cited',
  'links',
  'unsendable',
] as const;

const OF_STREAM = 'FOREIGN KEY (account, stream_pk) REFERENCES streams';

export const numberedLogs = (w: SqlWords): string[] => [...logTables(w), ...linkTables(w)];

function logTables(w: SqlWords): string[] {
  const { int, text } = w;
  const flag = (column: string): string =>
    `${column} ${int} NOT NULL DEFAULT 0 CHECK (${column} IN (0, 1))`;
  const whole = (column: string): string =>
    `${column} ${int} NOT NULL CHECK (${column} BETWEEN 0 AND 9007199254740991)`;
  return [
    `CREATE TABLE streams (account ${int} NOT NULL REFERENCES account_marks,
      stream_pk ${w.numbered}, name ${text} NOT NULL, ${whole('seq')},
      chain ${text} NOT NULL CHECK (length(chain) = 64), ${whole('count')},
      sum ${text} NOT NULL CHECK (length(sum) = 64), hlc ${text} NOT NULL,
      states ${text} NOT NULL DEFAULT '{"*":"0"}', CHECK (count = seq),
      CONSTRAINT streams_key PRIMARY KEY (account, stream_pk),
      CONSTRAINT streams_by_name UNIQUE (account, name))${w.clustered}`,
    `CREATE TABLE changes (account ${int} NOT NULL, stream_pk ${int} NOT NULL,
      seq ${int} NOT NULL CHECK (seq BETWEEN 1 AND 9007199254740991),
      change_id ${text} NOT NULL CHECK (length(change_id) = 46), text ${text}, packed ${w.blob},
      chain ${text} NOT NULL, hlc ${text} NOT NULL, wall ${text} NOT NULL,
      received_at ${text} NOT NULL, actor ${text} NOT NULL, author ${text} NOT NULL,
      author_kind ${text} NOT NULL CHECK (author_kind IN ('human', 'agent', 'import')),
      key_id ${text}, why ${text}, ${flag('relayed')}, ${flag('clock_suspect')},
      quarantined ${text}, origin ${text}, sent_by ${text},
      CHECK ((text IS NULL) <> (packed IS NULL)),
      CONSTRAINT changes_key PRIMARY KEY (account, stream_pk, seq),
      CONSTRAINT changes_by_id UNIQUE (account, stream_pk, change_id), ${OF_STREAM})${w.strict}`,
    `CREATE TABLE registers (account ${int} NOT NULL, stream_pk ${int} NOT NULL,
      reg ${text} NOT NULL, head_seq ${int} NOT NULL, head_index ${int} NOT NULL,
      CONSTRAINT registers_key PRIMARY KEY (account, stream_pk, reg), ${OF_STREAM})${w.clustered}`,
    `CREATE TABLE extra_heads (account ${int} NOT NULL, stream_pk ${int} NOT NULL,
      reg ${text} NOT NULL, seq ${int} NOT NULL, idx ${int} NOT NULL,
      CONSTRAINT extra_heads_key PRIMARY KEY (account, stream_pk, reg, seq, idx),
      ${OF_STREAM})${w.clustered}`,
    `CREATE TABLE cited (account ${int} NOT NULL, stream_pk ${int} NOT NULL,
      reg ${text} NOT NULL, name ${text} NOT NULL,
      CONSTRAINT cited_key PRIMARY KEY (account, stream_pk, reg, name), ${OF_STREAM})${w.clustered}`,
  ];
}

function linkTables(w: SqlWords): string[] {
  const { int, text } = w;
  const whole = (column: string): string =>
    `${column} ${int} NOT NULL DEFAULT 0 CHECK (${column} BETWEEN 0 AND 9007199254740991)`;
  return [
    `CREATE TABLE links (account ${int} NOT NULL, stream_pk ${int} NOT NULL, ${whole('gen')},
      ${whole('rev')}, boot ${text} NOT NULL, epoch ${text} NOT NULL, ${whole('push_pos')},
      ${whole('again_to')}, ${whole('pull_seq')}, pull_chain ${text} NOT NULL,
      ${whole('wit_seq')}, wit_chain ${text} NOT NULL,
      points ${text} NOT NULL CHECK (${w.isJson('points')}), verified_at ${text},
      ${whole('verified_seq')}, last_ok ${text}, problem ${text},
      state ${text} NOT NULL CHECK (state IN ('open', 'parked', 'stopped')),
      CONSTRAINT links_key PRIMARY KEY (account, stream_pk), ${OF_STREAM})${w.strict}`,
    `CREATE TABLE unsendable (account ${int} NOT NULL, stream_pk ${int} NOT NULL,
      seq ${int} NOT NULL, code ${text} NOT NULL, at ${text} NOT NULL, versions ${text},
      CONSTRAINT unsendable_key PRIMARY KEY (account, stream_pk, seq), ${OF_STREAM})${w.clustered}`,
  ];
}

/** The columns of a change that never change: all but `quarantined`. */
const UNCHANGED =
  'account, stream_pk, seq, change_id, text, packed, chain, hlc, wall, received_at, actor, author, ' +
  'author_kind, key_id, why, relayed, clock_suspect, origin, sent_by';

export const logIndexes = (w: SqlWords): string[] => [
  `CREATE INDEX changes_in_quarantine ON changes (account, stream_pk, seq)
    WHERE quarantined IS NOT NULL`,
  ...w.dependent('changes', ['account', 'stream_pk']),
  ...w.appendOnly('changes', { unchanged: UNCHANGED.split(', '), changing: ['quarantined'] }),
];

const COPIED: Readonly<Record<Exclude<(typeof LOGS)[number], 'streams'>, string>> = {
  changes:
    'stream_pk, seq, change_id, text, packed, chain, hlc, wall, received_at, actor, author, ' +
    'author_kind, key_id, why, relayed, clock_suspect, quarantined, origin, sent_by',
  registers: 'stream_pk, reg, head_seq, head_index',
  extra_heads: 'stream_pk, reg, seq, idx',
  cited: 'stream_pk, reg, name',
  links:
    'stream_pk, gen, rev, boot, epoch, push_pos, again_to, pull_seq, pull_chain, wit_seq, ' +
    'wit_chain, points, verified_at, verified_seq, last_ok, problem, state',
  unsendable: 'stream_pk, seq, code, at, versions',
};

export function copiedLogs(w: SqlWords): string[] {
  const streams = 'stream_pk, name, seq, chain, count, sum, hlc, states';
  return [
    copyOfAccounts('streams', streams),
    ...w.continueNumbering('streams', 'stream_pk'),
    ...Object.entries(COPIED).map(
      ([table, columns]) => `INSERT INTO ${table} (account, ${columns})
        SELECT accounts.account, ${qualified(columns)} FROM previous_${table} AS previous
        JOIN previous_streams ON previous_streams.stream_pk = previous.stream_pk
        JOIN accounts ON accounts.account_id = previous_streams.account_id`,
    ),
  ];
}

const qualified = (columns: string): string =>
  columns
    .split(', ')
    .map((column) => `previous.${column}`)
    .join(', ');

/** The statement that copies the rows of a table that had the account's text id. */
export const copyOfAccounts = (table: string, columns: string): string =>
  `INSERT INTO ${table} (account, ${columns}) SELECT accounts.account, ${qualified(columns)}
    FROM previous_${table} AS previous JOIN accounts ON accounts.account_id = previous.account_id`;
