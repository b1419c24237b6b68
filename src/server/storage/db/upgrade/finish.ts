import { FOR_UPGRADE } from './both-versions.ts';
import { type Catalogue, type RowPolicy, readCatalogue, type TableShape } from './catalogue.ts';
import type { UpgradeConnection } from './connection.ts';
import { BESIDE_MODEL } from './stage.ts';

const names = (parts: readonly { name: string }[]): Set<string> =>
  new Set(parts.map(({ name }) => name));

/** Takes away what only the version before used; the tables are those of a new database then. */
export async function contract(connection: UpgradeConnection, model: Catalogue): Promise<void> {
  const read = (): Promise<Catalogue> => readCatalogue(connection, BESIDE_MODEL);
  const both = async (
    name: string,
    statements: (table: string, is: TableShape, wanted: TableShape) => string[],
  ): Promise<void> => {
    const is = await read();
    for (const [table, parts] of is) {
      const wanted = model.get(table);
      if (wanted === undefined) continue;
      const work = statements(table, parts, wanted);
      if (work.length === 0) continue;
      await connection.step(`${name} of ${table}`);
      await connection.short(work);
    }
  };
  await endSharing(connection, await read(), model);
  await both('policies and triggers', leave);
  await both('foreign keys', dropForeignKeys);
  await both('keys', replaceKeys);
  await both('names', rename);
  await both('columns', dropColumns);
  await both('privileges', grant);
  for (const table of (await read()).keys())
    if (!model.has(table)) await connection.short([`DROP TABLE ${table}`]);
  await dropFunctions(connection);
}

/** The two tables that have a twin: from here on one of them is written. */
async function endSharing(
  connection: UpgradeConnection,
  is: Catalogue,
  model: Catalogue,
): Promise<void> {
  const triggersOf = (table: string): string[] =>
    (is.get(table)?.triggers ?? [])
      .filter(({ name }) => name.startsWith(FOR_UPGRADE))
      .map(({ name }) => `DROP TRIGGER ${name} ON ${table}`);
  const marks = model.has('account_marks')
    ? [...triggersOf('accounts'), ...triggersOf('account_marks')]
    : [];
  if (marks.length > 0) await connection.short(marks);
  const rules = triggersOf('rules');
  if (rules.length > 0)
    await connection.short([
      `SELECT setval(pg_get_serial_sequence('rules', 'rule_pk'), greatest(
        nextval(pg_get_serial_sequence('rules', 'rule_pk')),
        nextval(pg_get_serial_sequence('rule_names', 'rule_pk'))))`,
      ...rules,
    ]);
}

/** Triggers that fill a column stay as long as the column does. */
function leave(table: string, is: TableShape, wanted: TableShape): string[] {
  const isSame = (one: RowPolicy): boolean =>
    wanted.policies.some(
      ({ name, definition }) => name === one.name && definition === one.definition,
    );
  const missing = wanted.policies.filter(
    ({ name, definition }) =>
      !is.policies.some((one) => one.name === name && one.definition === definition),
  );
  return [
    ...is.triggers
      .filter(
        ({ name, definition }) =>
          !has(wanted.triggers, definition) && !name.startsWith(FOR_UPGRADE),
      )
      .map(({ name }) => `DROP TRIGGER ${name} ON ${table}`),
    ...wanted.triggers
      .filter(({ definition }) => !has(is.triggers, definition))
      .flatMap((trigger) => [trigger.function, trigger.definition]),
    ...is.policies
      .filter((one) => !isSame(one))
      .map(({ name }) => `DROP POLICY ${name} ON ${table}`),
    ...missing.map(({ name, definition }) => `CREATE POLICY ${name} ON ${table} ${definition}`),
  ];
}

const dropForeignKeys = (table: string, is: TableShape, wanted: TableShape): string[] =>
  is.constraints
    .filter(({ kind, definition }) => kind === 'f' && !has(wanted.constraints, definition))
    .map(({ name }) => `ALTER TABLE ${table} DROP CONSTRAINT ${name}`);

const has = (parts: readonly { definition: string }[], definition: string): boolean =>
  parts.some((one) => one.definition === definition);

function replaceKeys(table: string, is: TableShape, wanted: TableShape): string[] {
  const gone = is.constraints.filter(
    ({ kind, definition }) => kind !== 'f' && !has(wanted.constraints, definition),
  );
  const goneIndexes = new Set(gone.map(({ index }) => index));
  const made = wanted.constraints.filter(
    ({ kind, definition }) => (kind === 'p' || kind === 'u') && !has(is.constraints, definition),
  );
  return [
    ...gone.map(({ name }) => `ALTER TABLE ${table} DROP CONSTRAINT ${name}`),
    ...is.indexes
      .filter(({ name, definition }) => !goneIndexes.has(name) && !has(wanted.indexes, definition))
      .map(({ name }) => `DROP INDEX ${name}`),
    ...made.map(({ name, kind, index }) => {
      const definition = wanted.indexes.find((one) => one.name === index)?.definition;
      const here = is.indexes.find((one) => one.definition === definition && one.unique);
      const words = kind === 'p' ? 'PRIMARY KEY' : 'UNIQUE';
      return `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${words} USING INDEX ${here?.name}`;
    }),
  ];
}

function rename(table: string, is: TableShape, wanted: TableShape): string[] {
  const pairs = <T extends { name: string; definition: string }>(
    here: readonly T[],
    there: readonly T[],
  ): [string, string][] =>
    here.flatMap(({ name, definition }) => {
      const [one] = there.filter((other) => other.definition === definition);
      return one === undefined || one.name === name ? [] : [[name, one.name] as [string, string]];
    });
  const keys = names(is.constraints);
  return [
    ...pairs(is.constraints, wanted.constraints).map(
      ([from, to]) => `ALTER TABLE ${table} RENAME CONSTRAINT ${from} TO ${to}`,
    ),
    ...pairs(is.indexes, wanted.indexes)
      .filter(([from]) => !keys.has(from))
      .map(([from, to]) => `ALTER INDEX ${from} RENAME TO ${to}`),
  ];
}

const dropColumns = (table: string, is: TableShape, wanted: TableShape): string[] => [
  ...is.triggers
    .filter(({ name }) => name.startsWith(FOR_UPGRADE))
    .map(({ name }) => `DROP TRIGGER ${name} ON ${table}`),
  ...[...is.columns.keys()]
    .filter((name) => !wanted.columns.has(name))
    .map((name) => `ALTER TABLE ${table} DROP COLUMN ${name}`),
];

function grant(table: string, is: TableShape, wanted: TableShape): string[] {
  const less = (a: readonly string[], b: readonly string[]): string[] =>
    a.filter((one) => !b.includes(one));
  return [
    ...less(is.privileges, wanted.privileges).map(
      (privilege) => `REVOKE ${privilege} ON ${table} FROM CURRENT_USER`,
    ),
    ...less(wanted.privileges, is.privileges).map(
      (privilege) => `GRANT ${privilege} ON ${table} TO CURRENT_USER`,
    ),
  ];
}

/** Of triggers that are gone. */
async function dropFunctions({ ask }: UpgradeConnection): Promise<void> {
  const unused = await ask<{ name: string }>(
    `SELECT p.oid::regprocedure::text AS name FROM pg_proc p
      WHERE p.pronamespace = current_schema()::regnamespace AND p.prorettype = 'trigger'::regtype
      AND (p.proname LIKE 'upgrade\\_%' OR p.proname LIKE '%\\_refuse' OR p.proname LIKE '%\\_refuse\\_row')
      AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgfoid = p.oid)`,
  );
  for (const { name } of unused) await ask(`DROP FUNCTION ${name}`);
}
