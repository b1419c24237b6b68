import type { SqlWords } from './sql-words.ts';

/**
 * The rows of cases' matrices, behind the account's number. Names of rules are each account's own.
 */
export const MATRICES = ['items', 'rules', 'matrices', 'tallies', 'cells'] as const;

export function numberedMatrices(w: SqlWords): string[] {
  const { int, text } = w;
  const flag = (column: string): string =>
    `${column} ${int} NOT NULL DEFAULT 0 CHECK (${column} IN (0, 1))`;
  return [
    `CREATE TABLE items (account ${int} NOT NULL, item_pk ${w.numbered},
      case_pk ${int} NOT NULL, item_uid ${text} NOT NULL,
      item_type ${text} NOT NULL DEFAULT 'item', label ${text} NOT NULL DEFAULT '',
      metadata ${text} NOT NULL DEFAULT '{}' CHECK (${w.isJson('metadata')}),
      position ${w.real} NOT NULL, ${flag('deleted')}, heads ${text} NOT NULL,
      version ${int} NOT NULL DEFAULT 1 CHECK (version BETWEEN 1 AND 9007199254740991),
      created_at ${text} NOT NULL, updated_at ${text} NOT NULL,
      CONSTRAINT items_key PRIMARY KEY (account, item_pk),
      CONSTRAINT items_by_uid UNIQUE (account, case_pk, item_uid),
      FOREIGN KEY (account, case_pk) REFERENCES cases)${w.clustered}`,
    `CREATE TABLE rules (account ${int} NOT NULL REFERENCES account_marks, rule_pk ${w.numbered},
      rule_uid ${text} NOT NULL,
      CONSTRAINT rules_key PRIMARY KEY (account, rule_pk),
      CONSTRAINT rules_by_uid UNIQUE (account, rule_uid))${w.clustered}`,
    `CREATE TABLE matrices (account ${int} NOT NULL, matrix_pk ${w.numbered},
      case_pk ${int} NOT NULL, profile_uid ${text} NOT NULL,
      profile_version ${text} NOT NULL, digest ${text}, ${flag('named')}, ${flag('contested')},
      CONSTRAINT matrices_key PRIMARY KEY (account, matrix_pk),
      CONSTRAINT matrices_by_profile
        UNIQUE (account, case_pk, profile_uid, profile_version),
      FOREIGN KEY (account, case_pk) REFERENCES cases)${w.clustered}`,
    `CREATE TABLE tallies (account ${int} NOT NULL, matrix_pk ${int} NOT NULL,
      rule_pk ${int} NOT NULL, n_false ${int} NOT NULL, n_true ${int} NOT NULL,
      n_na ${int} NOT NULL, CONSTRAINT tallies_key PRIMARY KEY (account, matrix_pk, rule_pk),
      FOREIGN KEY (account, matrix_pk) REFERENCES matrices,
      FOREIGN KEY (account, rule_pk) REFERENCES rules)${w.clustered}`,
    // No foreign keys here: three look-ups a cell would cost more than the cell. The log is the
    // only writer.
    `CREATE TABLE cells (account ${int} NOT NULL, matrix_pk ${int} NOT NULL,
      item_pk ${int} NOT NULL, rule_pk ${int} NOT NULL,
      raw ${int} NOT NULL CHECK (raw BETWEEN 0 AND 3), source_value ${text}, provenance ${text},
      notes ${text}, head_seq ${int}, head_index ${int}, notes_seq ${int}, notes_index ${int},
      revision ${int} NOT NULL DEFAULT 1, further ${int} NOT NULL DEFAULT 0,
      contested ${int} NOT NULL DEFAULT 0, restores ${text},
      CONSTRAINT cells_key PRIMARY KEY (account, matrix_pk, item_pk, rule_pk))${w.clustered}`,
  ];
}

export const matrixIndexes = (w: SqlWords): string[] => [
  `CREATE INDEX items_in_order ON items (account, case_pk, position, item_uid)`,
  `CREATE INDEX cells_contested ON cells (account, matrix_pk) WHERE contested <> 0`,
  ...w.dependent('items', ['account', 'case_pk']),
];

export function copiedMatrices(w: SqlWords): string[] {
  const ofCase = (table: string): string =>
    `FROM ${table} JOIN previous_cases ON previous_cases.case_pk = ${table}.case_pk
      JOIN accounts ON accounts.account_id = previous_cases.account_id`;
  const ofMatrix = (table: string, from = table): string =>
    `FROM ${from} JOIN previous_matrices ON previous_matrices.matrix_pk = ${table}.matrix_pk
      JOIN previous_cases ON previous_cases.case_pk = previous_matrices.case_pk
      JOIN accounts ON accounts.account_id = previous_cases.account_id`;
  const items =
    'item_uid, item_type, label, metadata, position, deleted, heads, version, created_at, updated_at';
  const qualified = (table: string, columns: string): string =>
    columns
      .split(', ')
      .map((column) => `${table}.${column}`)
      .join(', ');
  const matrices = 'profile_uid, profile_version, digest, named, contested';
  const tallies = 'rule_pk, n_false, n_true, n_na';
  const cells =
    'item_pk, rule_pk, raw, source_value, provenance, notes, head_seq, head_index, ' +
    'notes_seq, notes_index, revision, further, contested, restores';
  return [
    `INSERT INTO items (account, item_pk, case_pk, ${items})
      SELECT accounts.account, item_pk, previous_cases.case_pk, ${qualified('previous_items', items)}
      ${ofCase('previous_items')}`,
    `INSERT INTO matrices (account, matrix_pk, case_pk, ${matrices})
      SELECT accounts.account, matrix_pk, previous_cases.case_pk, ${qualified('previous_matrices', matrices)}
      ${ofCase('previous_matrices')}`,
    `INSERT INTO rules (account, rule_pk, rule_uid)
      SELECT DISTINCT accounts.account, previous_rules.rule_pk, rule_uid
      ${ofMatrix('used', '(SELECT matrix_pk, rule_pk FROM previous_tallies UNION SELECT matrix_pk, rule_pk FROM previous_cells) AS used')}
      JOIN previous_rules ON previous_rules.rule_pk = used.rule_pk`,
    `INSERT INTO tallies (account, matrix_pk, ${tallies})
      SELECT accounts.account, previous_tallies.matrix_pk, ${tallies} ${ofMatrix('previous_tallies')}`,
    `INSERT INTO cells (account, matrix_pk, ${cells})
      SELECT accounts.account, previous_cells.matrix_pk, ${qualified('previous_cells', cells)}
      ${ofMatrix('previous_cells')}`,
    ...w.continueNumbering('items', 'item_pk'),
    ...w.continueNumbering('matrices', 'matrix_pk'),
    ...w.continueNumbering('rules', 'rule_pk'),
  ];
}
