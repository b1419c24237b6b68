/** What lets servers of both versions write to the same tables. */
import { numberOf } from '../schema/number-of.ts';
import { ACCOUNT_SETTING, GUARDED_FIRST } from '../schema/row-security.ts';
import type { Catalogue } from './catalogue.ts';

/** Functions and triggers that go when the upgrade is finished begin so. */
export const FOR_UPGRADE = 'upgrade_';
/**
 * PostgreSQL asks a table's policies by name, the last first: this one costs less than
 * `own_account`.
 */
export const NUMBER_POLICY = 'own_number';

const SCOPE = `current_setting('${ACCOUNT_SETTING}', true)`;
const PARENTS: Readonly<Record<string, string | { of: string; by: string }>> = GUARDED_FIRST;

/** Tables whose rows get the account's number, parents before those that find it there. */
export function numbered(model: Catalogue, is: Catalogue): string[] {
  const found = [...is.keys()].filter(
    (table) => model.get(table)?.columns.get('account')?.generated === false,
  );
  const depth = (table: string): number => {
    const parent = parentOf(table, is);
    return parent === undefined ? 0 : 1 + depth(parent.of);
  };
  return found
    .filter((table) => hasText(table, is) || parentOf(table, is) !== undefined)
    .sort((a, b) => depth(a) - depth(b));
}

/** Whether rows name their account by its id. */
export const hasText = (table: string, is: Catalogue): boolean =>
  is.get(table)?.columns.has('account_id') ?? false;

export function parentOf(table: string, is: Catalogue): { of: string; by: string } | undefined {
  const owner = PARENTS[table];
  return hasText(table, is) || typeof owner !== 'object' ? undefined : owner;
}

/** The number of the account that a row is of, whatever has been filled so far. */
function accountOf(table: string, row: string, is: Catalogue): string {
  const parent = parentOf(table, is);
  if (parent === undefined) return numberOf(`${row}.account_id`);
  return `(SELECT ${accountOf(parent.of, parent.of, is)} FROM ${parent.of}
    WHERE ${parent.of}.${parent.by} = ${row}.${parent.by})`;
}

const trigger = (table: string, when: string, what: string, body: string): string[] => [
  `CREATE OR REPLACE FUNCTION ${FOR_UPGRADE}${table}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN ${body} RETURN NEW; END $$`,
  `CREATE OR REPLACE TRIGGER ${FOR_UPGRADE}${table} ${when} ON ${table} FOR EACH ROW ${what}
    EXECUTE FUNCTION ${FOR_UPGRADE}${table}()`,
];

/**
 * A row that a server of before writes gets the number, and one of the new server the id. A row
 * that is updated gets it, too, so that no row without is written where rows have been filled.
 */
export function fillOnWrite(table: string, is: Catalogue): string[] {
  const text = hasText(table, is);
  const named = is.get(table)?.columns.has('rule_pk') ?? false;
  return trigger(
    table,
    'BEFORE INSERT OR UPDATE',
    `WHEN (NEW.account IS NULL${text ? ' OR NEW.account_id IS NULL' : ''})`,
    `IF NEW.account IS NULL THEN NEW.account := ${accountOf(table, 'NEW', is)};
      ${named ? NAME_RULE : ''} END IF;
      ${
        text
          ? `IF NEW.account_id IS NULL THEN
        NEW.account_id := (SELECT account_id FROM accounts WHERE account = NEW.account); END IF;`
          : ''
      }`,
  );
}

/** An account that uses a rule has its name. */
const NAME_RULE = `IF NOT EXISTS (SELECT FROM rules WHERE account = NEW.account
    AND rule_pk = NEW.rule_pk) THEN INSERT INTO rules (account, rule_pk, rule_uid)
    SELECT NEW.account, rule_pk, rule_uid FROM rule_names WHERE rule_pk = NEW.rule_pk
    ON CONFLICT DO NOTHING; END IF;`;

/** One number for a rule, whichever server meets it first. */
export const SHARED_RULES = [
  ...trigger(
    'rules',
    'BEFORE INSERT',
    '',
    `IF NOT EXISTS (SELECT FROM rule_names WHERE rule_uid = NEW.rule_uid) THEN
      INSERT INTO rule_names (rule_uid) VALUES (NEW.rule_uid) ON CONFLICT (rule_uid) DO NOTHING;
    END IF;
    SELECT rule_pk INTO STRICT NEW.rule_pk FROM rule_names WHERE rule_uid = NEW.rule_uid;`,
  ),
];

/** The mark of an account's changes, in the table of either version. */
export const SHARED_MARKS = [
  ...trigger(
    'accounts',
    'AFTER INSERT OR UPDATE OF moved',
    '',
    `IF TG_OP = 'INSERT' THEN
      INSERT INTO account_marks (account, moved) VALUES (NEW.account, NEW.moved);
    ELSE UPDATE account_marks SET moved = NEW.moved
      WHERE account = NEW.account AND moved IS DISTINCT FROM NEW.moved; END IF;`,
  ),
  `CREATE OR REPLACE FUNCTION ${FOR_UPGRADE}account_marks() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN IF TG_OP = 'UPDATE' THEN UPDATE accounts SET moved = NEW.moved
      WHERE account = NEW.account AND moved IS DISTINCT FROM NEW.moved;
    ELSIF EXISTS (SELECT FROM account_marks WHERE account = NEW.account) THEN RETURN NULL;
    END IF; RETURN NEW; END $$`,
  ...['BEFORE INSERT', 'AFTER UPDATE OF moved'].map(
    (when, index) => `CREATE OR REPLACE TRIGGER ${FOR_UPGRADE}account_marks_${index} ${when}
      ON account_marks FOR EACH ROW EXECUTE FUNCTION ${FOR_UPGRADE}account_marks()`,
  ),
  `INSERT INTO account_marks (account, moved) SELECT account, moved FROM accounts`,
];

/**
 * A table of the new version, for transactions of servers that name the account by its id alone.
 * An account is made before anybody is in it.
 */
export const openToBefore = (table: string): string[] => [
  `DROP POLICY IF EXISTS ${NUMBER_POLICY} ON ${table}`,
  `CREATE POLICY ${NUMBER_POLICY} ON ${table} USING (coalesce(${SCOPE}, '')
    IN ('*'${table === 'account_marks' ? ", ''" : ''}) OR account = (SELECT ${numberOf(SCOPE)}))`,
];

/** A table of both versions: by the number, or for every account, or as it was. */
export const openByNumber = (table: string, using: string): string[] => [
  `DROP POLICY IF EXISTS ${NUMBER_POLICY} ON ${table}`,
  `CREATE POLICY ${NUMBER_POLICY} ON ${table} USING (${SCOPE} = '*' OR (${using}))`,
];
