import {
  fillOnWrite,
  numbered,
  openByNumber,
  openToBefore,
  SHARED_MARKS,
  SHARED_RULES,
} from './both-versions.ts';
import { type Catalogue, readCatalogue, type TableShape } from './catalogue.ts';
import type { UpgradeConnection } from './connection.ts';
import { makeMissing } from './model.ts';
import { BESIDE_MODEL } from './stage.ts';

/**
 * Gives the tables what the new version has and the one before does not know: columns that may be
 * empty, triggers that fill them from here on, policies, and tables.
 */
export async function expand(connection: UpgradeConnection, model: Catalogue): Promise<void> {
  const is = await readCatalogue(connection, BESIDE_MODEL);
  const fresh = [...model.keys()].filter((table) => !is.has(table));
  // What a number is computed from comes first.
  await addColumns(connection, 'accounts', is, model);
  if (fresh.length > 0) {
    await connection.step('make tables');
    await connection.short(() => makeMissing(connection, fresh, model));
  }
  await connection.step('share tables');
  if (model.has('rules')) await connection.short([...openToBefore('rules'), ...SHARED_RULES]);
  if (fresh.includes('account_marks') || (await lacksMarks(connection, model)))
    await connection.short([
      'TRUNCATE account_marks',
      ...openToBefore('account_marks'),
      ...SHARED_MARKS,
    ]);
  // Parents before their children; the directory, whose rows have no number, may get columns too.
  const inOrder = new Set([...numbered(model, is), ...model.keys()]);
  inOrder.delete('accounts');
  for (const table of inOrder) await addColumns(connection, table, is, model);
}

/** Whether a run that was cut off has made the table, and not filled it. */
async function lacksMarks({ ask }: UpgradeConnection, model: Catalogue): Promise<boolean> {
  if (!model.has('account_marks')) return false;
  const [row] = await ask<{ filled: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_trigger WHERE tgname = 'upgrade_accounts') AS filled`,
  );
  return row?.filled !== true;
}

async function addColumns(
  connection: UpgradeConnection,
  table: string,
  is: Catalogue,
  model: Catalogue,
): Promise<void> {
  const [now, wanted] = [is.get(table), model.get(table)];
  if (now === undefined || wanted === undefined) return;
  const missing = [...wanted.columns].filter(([name]) => !now.columns.has(name));
  const isNumbered = missing.some(([name, { generated }]) => name === 'account' && !generated);
  if (missing.length === 0) return;
  await connection.step(`add columns to ${table}`);
  await connection.short(async () => {
    const { ask } = connection;
    const only = isNumbered ? await onlyAccount(connection, table) : undefined;
    for (const [name, { definition, generated, notNull }] of missing) {
      const filled = name === 'account' && only !== undefined ? ` DEFAULT ${only}` : '';
      // With a default value, PostgreSQL notes that once, whatever the number of rows.
      const isFilled = generated || / DEFAULT (?!AS IDENTITY)/.test(definition);
      const required = isFilled && notNull ? ' NOT NULL' : '';
      await ask(`ALTER TABLE ${table} ADD COLUMN ${name} ${definition}${filled}${required}`);
    }
    if (!isNumbered) return;
    if (only !== undefined) await noteFilled(connection, table, now, only);
    for (const statement of [
      ...fillOnWrite(table, is),
      ...letFill(now),
      ...openByNumber(table, ownAccount(wanted)),
    ])
      await ask(statement);
  });
}

/**
 * Where there is one account, all rows are its: PostgreSQL notes that once, whatever the number of
 * rows. Nobody writes to the table from here on, so that no row of a new account is among them.
 */
async function onlyAccount({ ask }: UpgradeConnection, table: string): Promise<number | undefined> {
  await ask(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  const accounts = await ask<{ account: number }>('SELECT account FROM accounts LIMIT 2');
  return accounts.length === 1 ? accounts[0]?.account : undefined;
}

/** Rows that are written from here on are filled by the trigger. */
async function noteFilled(
  { ask }: UpgradeConnection,
  table: string,
  { columns }: TableShape,
  only: number,
): Promise<void> {
  await ask(`ALTER TABLE ${table} ALTER COLUMN account DROP DEFAULT`);
  if (columns.has('rule_pk'))
    await ask(
      `INSERT INTO rules (account, rule_pk, rule_uid)
        SELECT ${only}, rule_pk, rule_uid FROM rule_names ON CONFLICT DO NOTHING`,
    );
  await ask(
    `INSERT INTO schema_upgrade_fill (name, next_block, blocks, filled) VALUES ('${table}', 0, 0, 0)`,
  );
}

const ownAccount = ({ policies }: TableShape): string =>
  policies.find(({ name }) => name === 'own_account')?.using ?? 'false';

/** A table that is never changed lets its new column be filled, and nothing else. */
function letFill({ triggers, columns }: TableShape): string[] {
  const whole = / UPDATE (OR|ON) /;
  return triggers
    .filter(({ definition }) => whole.test(definition) && definition.includes('FOR EACH STATEMENT'))
    .map(({ definition }) =>
      definition
        .replace('CREATE TRIGGER', 'CREATE OR REPLACE TRIGGER')
        .replace(whole, ` UPDATE OF ${[...columns.keys()].join(', ')} $1 `),
    );
}
