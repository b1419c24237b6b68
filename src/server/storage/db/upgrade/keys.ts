import { numbered } from './both-versions.ts';
import { type Catalogue, type Constraint, readCatalogue, type TableShape } from './catalogue.ts';
import type { UpgradeConnection } from './connection.ts';
import { BESIDE_MODEL } from './stage.ts';

/** Where another thing has the name until the upgrade is finished. */
const NEXT = 'next_';
const FILLED = 'upgrade_filled';

/** What the new version's keys need, each made while others write, the old ones beside them. */
export async function addKeys(connection: UpgradeConnection, model: Catalogue): Promise<void> {
  const read = (): Promise<Catalogue> => readCatalogue(connection, BESIDE_MODEL);
  const before = await read();
  for (const table of numbered(model, before))
    await requireAccount(connection, table, before.get(table), model.get(table));
  const tables = [...model.keys()];
  for (const table of tables) await addIndexes(connection, table, before, model);
  for (const kind of ['c', 'f'] as const) {
    const is = await read();
    for (const table of tables)
      for (const constraint of model.get(table)?.constraints ?? [])
        if (constraint.kind === kind)
          await addConstraint(connection, table, is.get(table), constraint);
  }
  const is = await read();
  for (const table of tables)
    for (const { name, definition } of model.get(table)?.statistics ?? [])
      if (is.get(table)?.statistics.some((one) => one.name === name) === false)
        await connection.short([definition]);
  for (const table of numbered(model, before))
    await connection.long(`${table}: counting rows`, `ANALYZE ${table}`);
}

/** Not null, by a check that was proven before: nobody waits while all rows are looked at. */
async function requireAccount(
  connection: UpgradeConnection,
  table: string,
  is: TableShape | undefined,
  wanted: TableShape | undefined,
): Promise<void> {
  if (is?.columns.get('account')?.notNull !== false || wanted === undefined) return;
  await connection.step(`require the account in ${table}`);
  if (!is.constraints.some(({ name }) => name === FILLED))
    await connection.short([
      `ALTER TABLE ${table} ADD CONSTRAINT ${FILLED} CHECK (account IS NOT NULL) NOT VALID`,
    ]);
  await connection.long(
    `${table}: looking at all rows`,
    `ALTER TABLE ${table} VALIDATE CONSTRAINT ${FILLED}`,
  );
  await connection.short([
    `ALTER TABLE ${table} ALTER COLUMN account SET NOT NULL`,
    `ALTER TABLE ${table} DROP CONSTRAINT ${FILLED}`,
  ]);
}

async function addIndexes(
  connection: UpgradeConnection,
  table: string,
  is: Catalogue,
  model: Catalogue,
): Promise<void> {
  const here = is.get(table)?.indexes ?? [];
  for (const { name, unique, definition } of model.get(table)?.indexes ?? []) {
    const same = here.filter((one) => one.definition === definition && one.unique === unique);
    if (same.some(({ valid }) => valid)) continue;
    await connection.step(`index ${name}`);
    for (const cut of same) await connection.long(cut.name, `DROP INDEX CONCURRENTLY ${cut.name}`);
    const isTaken = [...is.values()].some(({ indexes }) =>
      indexes.some((one) => one.name === name && !same.includes(one)),
    );
    await connection.long(
      `${table}: making ${name}`,
      `CREATE ${unique ? 'UNIQUE ' : ''}INDEX CONCURRENTLY ${isTaken ? NEXT : ''}${name} ${definition}`,
    );
    connection.tell(`${table}: index ${name}`);
  }
}

async function addConstraint(
  connection: UpgradeConnection,
  table: string,
  is: TableShape | undefined,
  { name: wanted, definition }: Constraint,
): Promise<void> {
  const found = is?.constraints.find((one) => one.definition === definition);
  if (found?.valid === true) return;
  await connection.step(`constraint ${wanted}`);
  const isTaken = is?.constraints.some(({ name }) => name === wanted) ?? false;
  const name = found?.name ?? `${isTaken ? NEXT : ''}${wanted}`;
  if (found === undefined)
    await connection.short([`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition} NOT VALID`]);
  // Policies make PostgreSQL expect few rows, for each of which it would go through all parents.
  for (const way of ['nestloop', 'mergejoin']) await connection.ask(`SET enable_${way} = off`);
  await connection.long(
    `${table}: checking ${name}`,
    `ALTER TABLE ${table} VALIDATE CONSTRAINT ${name}`,
  );
  for (const way of ['nestloop', 'mergejoin']) await connection.ask(`RESET enable_${way}`);
}
