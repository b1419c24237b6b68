import type { z } from 'zod';
import { parseRegister } from '../../../sync/register.ts';
import { BLOCK_ITEMS, type Database, type MatrixRow, rowsOf } from '../store/db.ts';
import { ChangeIds } from '../store/change-ids.ts';
import { readMatrixRow, StoredRows } from '../store/stored-rows.ts';
import { ReplicaState } from './replica-state.ts';

export interface StoredReplica {
  matrix: MatrixRow;
  /** Rows as stored, not parsed yet. */
  rows: Record<keyof z.output<typeof StoredRows>, unknown[]>;
}

/**
 * All rows of one matrix, read in one transaction; undefined where there is none, or where its own
 * row was not written by this version.
 */
export function readReplica(db: Database, id: string): Promise<StoredReplica | undefined> {
  return db.transaction(
    'r',
    [db.matrices, db.names, db.items, db.blocks, db.details, db.contested],
    async () => {
      const range = rowsOf(id);
      const [matrix, names, items, blocks, details, contested] = await Promise.all([
        db.matrices.get(id),
        db.names
          .where(':id')
          .between(...range)
          .toArray(),
        db.items
          .where(':id')
          .between(...range)
          .toArray(),
        db.blocks
          .where(':id')
          .between(...range)
          .toArray(),
        db.details
          .where(':id')
          .between(...range)
          .toArray(),
        db.contested
          .where(':id')
          .between(...range)
          .toArray(),
      ]);
      const row = readMatrixRow(matrix);
      return row === undefined
        ? undefined
        : { matrix: row, rows: { names, items, blocks, details, contested } };
    },
  );
}

/** Makes this window the replica's one writer. */
export function claimReplica(db: Database, row: MatrixRow, boot: string): Promise<void> {
  return db.transaction('rw', db.matrices, async () => {
    const stored = await db.matrices.get(row.id);
    if (stored === undefined) await db.matrices.put({ ...row, boot });
    else await db.matrices.update(row.id, { boot, rev: stored.rev + 1 });
  });
}

/**
 * Builds the replica in memory from its rows. Throws where the rows do not fit each other; the
 * caller then reads the matrix from the server.
 */
export function restoreReplica(stored: StoredReplica): ReplicaState {
  const { names, items, blocks, details, contested } = StoredRows.parse(stored.rows);
  const count = items.reduce((sum, row) => sum + row.items.length, 0);
  const state = new ReplicaState(stored.matrix, ChangeIds.from(names), count);
  const { store } = state;
  for (const row of items) {
    if (row.block * BLOCK_ITEMS !== state.items.length)
      throw new Error('A block of items is missing.');
    for (const item of row.items) {
      state.itemIndexes.set(item.item_uid, state.items.length);
      state.items.push(item);
    }
  }
  store.grow(count);
  for (const row of blocks) {
    const at = row.block * BLOCK_ITEMS * store.columns;
    const length = Math.min(BLOCK_ITEMS, count - row.block * BLOCK_ITEMS) * store.columns;
    if (row.raw.length !== length || row.ref.length !== length || row.index.length !== length)
      throw new Error('A block of outcomes has another size than its items.');
    store.raw.set(row.raw, at);
    store.ref.set(row.ref, at);
    store.index.set(row.index, at);
  }
  if (blocks.length !== Math.ceil(count / BLOCK_ITEMS))
    throw new Error('A block of outcomes is missing.');
  for (const row of details)
    for (const [column, detail] of Object.entries(row.cells))
      state.details.set(row.slot * store.columns + Number(column), detail);
  for (const row of contested)
    state.conflicts.registers.set(row.register, { others: row.others, cited: row.cited });
  for (const address of state.conflicts.registers.keys()) {
    const register = parseRegister(address);
    const target = register === undefined ? undefined : state.target(register);
    if (target !== undefined && target.kind !== 'item') state.conflicts.classify(target.cell);
  }
  state.arrange();
  return state;
}
