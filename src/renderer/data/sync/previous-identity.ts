import { type Database, rowsOf } from '../store/db.ts';
import { outboxStates } from './outbox.ts';
import { matrixId } from '../replica/replica-ports.ts';

/**
 * When a studio is connected, its person becomes a user of the hosted server. What this browser
 * keeps of the person before goes over to that user: undo steps name changes and hold for any copy,
 * and copies are read again. A copy with unsent changes stays, since those are its author's, and so
 * does one that is open.
 */
export async function takeOver(
  db: Database,
  from: string,
  to: string,
  isOpen: (matrix: string) => boolean,
): Promise<void> {
  if (from === to) return;
  const unsent = new Set(
    (await outboxStates(db)).filter(({ user }) => user === from).map(({ case_uid }) => case_uid),
  );
  const { matrices, gestures, items, blocks, details, names, contested } = db;
  await db.transaction(
    'rw',
    [matrices, gestures, items, blocks, details, names, contested],
    async () => {
      for (const row of await matrices.toArray()) {
        if (row.user !== from || unsent.has(row.case_uid) || isOpen(row.id)) continue;
        const matrix = matrixId(to, {
          caseUid: row.case_uid,
          profileUid: row.profile_uid,
          profileVersion: row.profile_version,
        });
        const steps = gestures.where('[matrix+id]').between(...rowsOf(row.id));
        await gestures.bulkPut((await steps.toArray()).map((step) => ({ ...step, matrix })));
        await steps.delete();
        for (const [table, index] of [
          [items, '[matrix+block]'],
          [blocks, '[matrix+block]'],
          [details, '[matrix+slot]'],
          [names, '[matrix+chunk]'],
        ] as const) {
          await table.where(index).between([row.id, -Infinity], [row.id, Infinity]).delete();
        }
        await contested
          .where('[matrix+register]')
          .between(...rowsOf(row.id))
          .delete();
        await matrices.delete(row.id);
      }
    },
  );
}
