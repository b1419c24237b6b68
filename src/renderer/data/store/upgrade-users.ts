import type { Transaction } from 'dexie';
import { z } from 'zod';
import { Session } from '../../../shared/contract/v1/account.ts';

const Authored = z.looseObject({ by: z.looseObject({ user: z.string() }) });

/** The author in a change's text; '' where it cannot be read, and then it is nobody's to send. */
export function authorOf(text: string): string {
  try {
    return Authored.safeParse(JSON.parse(text)).data?.by.user ?? '';
  } catch {
    return '';
  }
}

const Owned = z.looseObject({ matrix: z.string() });
const OldMatrix = z.looseObject({ id: z.string() });

/**
 * Earlier stores had one user. Unsent changes name their author; copies go to the user who was last
 * signed in, or are deleted where nobody was known.
 */
export async function giveToUsers(transaction: Transaction): Promise<void> {
  for (const name of ['outbox', 'sent']) {
    await transaction
      .table<{ text?: string; user?: string }>(name)
      .toCollection()
      .modify((row) => {
        row.user = authorOf(row.text ?? '');
      });
  }
  const session: unknown = await transaction.table('lists').get('session');
  const user = z.object({ data: Session }).safeParse(session).data?.data.user.user_id;
  for (const name of ['matrices', 'items', 'blocks', 'details', 'names', 'contested', 'gestures']) {
    const table = transaction.table(name);
    const rows: unknown[] = await table.toArray();
    await table.clear();
    if (user === undefined) continue;
    await table.bulkAdd(
      rows.flatMap((row): object[] => {
        if (name === 'matrices') {
          const { data } = OldMatrix.safeParse(row);
          return data === undefined
            ? []
            : [{ ...data, id: `${user}/${data.id}`, user, review: 0, schema: data['schema'] ?? 0 }];
        }
        const { data } = Owned.safeParse(row);
        return data === undefined ? [] : [{ ...data, matrix: `${user}/${data.matrix}` }];
      }),
    );
  }
}
