import type { AccountId, StreamName } from '../../../shared/contract/ids.ts';
import type { Change } from '../../../sync/change.ts';
import type { WriteContext } from '../db/context.ts';
import { allAccounts } from '../db/identity.ts';
import { unopeningEntries } from '../rounds/round-access.ts';
import { openStream } from '../log/change-log.ts';
import { caseOf, openView } from '../records/open-view.ts';
import { WorkCounter } from '../db/event-loop.ts';
import { unpack } from '../db/packed.ts';
import type { AccountScope, DatabaseSession } from '../db/session.ts';
import { validateEntries } from './validate-changes.ts';

/** Changes validated in one transaction. */
const AT_ONCE = 200;
const JUDGED = 'schema_judged';

interface ChangePlace {
  account: AccountId;
  stream: StreamName;
  streamPk: number;
  seq: number;
}

async function schemaValidated(session: DatabaseSession): Promise<number> {
  const row = await session.db
    .selectFrom('meta')
    .select('value')
    .where('key', '=', JUDGED)
    .executeTakeFirstOrThrow();
  return Number(row.value);
}

/** The next changes of an account in quarantine after a place, all of one log. */
async function nextInQuarantine(
  session: DatabaseSession,
  account: AccountId,
  after: { streamPk: number; seq: number },
): Promise<ChangePlace[]> {
  const rows = await session.db
    .selectFrom('changes')
    .innerJoin('streams', (join) =>
      join
        .onRef('streams.account', '=', 'changes.account')
        .onRef('streams.stream_pk', '=', 'changes.stream_pk'),
    )
    .select(['name', 'changes.stream_pk', 'changes.seq'])
    .where('changes.account', '=', session.numberOf(account))
    .where('quarantined', 'is not', null)
    .where(({ eb, or, and }) =>
      or([
        eb('changes.stream_pk', '>', after.streamPk),
        and([eb('changes.stream_pk', '=', after.streamPk), eb('changes.seq', '>', after.seq)]),
      ]),
    )
    .orderBy('changes.stream_pk')
    .orderBy('changes.seq')
    .limit(AT_ONCE)
    .execute();
  return rows
    .map((row) => ({
      account,
      stream: row.name,
      streamPk: row.stream_pk,
      seq: row.seq,
    }))
    .filter((place, _, [first]) => place.streamPk === first?.streamPk);
}

/** Applies what this version understands of some changes of one log. */
async function revalidateSome(ctx: WriteContext, places: readonly ChangePlace[]): Promise<void> {
  const [first] = places;
  if (first === undefined) return;
  const { db } = ctx.session;
  const stream = await openStream(ctx, first.account, first.stream);
  const rows = await db
    .selectFrom('changes')
    .select([
      ...(['seq', 'change_id', 'text', 'packed', 'quarantined'] as const),
      ...(['actor', 'key_id', 'sent_by', 'origin'] as const),
    ])
    .where('account', '=', ctx.session.account)
    .where('stream_pk', '=', stream.pk)
    .where('seq', 'in', ctx.session.list(places.map(({ seq }) => seq)))
    .orderBy('seq')
    .execute();
  const work = new WorkCounter();
  const changed = [];
  for (const row of rows) {
    const before = JSON.parse(row.quarantined ?? '[]') as number[];
    const text = unpack(row.text, row.packed);
    const validated = await validateEntries(
      ctx,
      { id: row.change_id, text, change: JSON.parse(text) as Change },
      work,
    );
    if (validated.quarantined.length === before.length) continue;
    // The entries that were applied before are in the tables already.
    changed.push({
      seq: row.seq,
      validated: {
        ...validated,
        unopening: await unopeningEntries(ctx, stream.account, validated, row),
        registers: validated.registers.map((register, index) =>
          before.includes(index) ? register : undefined,
        ),
      },
    });
  }
  const view = await openView(ctx, stream, await caseOf(ctx, stream.account, stream.name));
  await view.prepare(changed.map(({ validated }) => validated));
  await stream.changes.loadSeqs(changed.map(({ seq }) => seq));
  for (const { seq, validated } of changed) {
    const quarantined =
      validated.quarantined.length === 0 ? null : JSON.stringify(validated.quarantined);
    // One after the other: a change whose parent is still to be validated waits for that parent.
    await db
      .updateTable('changes')
      .set({ quarantined })
      .where('account', '=', ctx.session.account)
      .where('stream_pk', '=', stream.pk)
      .where('seq', '=', seq)
      .execute();
    stream.changes.add(
      { ...stream.changes.at(seq), quarantined },
      validated.change,
      validated.quarantined,
    );
    await view.apply(validated, seq);
  }
  if (changed.length > 0) await view.flush();
}

/**
 * Validates quarantined entries again if this version understands more than the one that validated
 * them (S6), after an upgrade or the restore of an old backup. An entry that was applied once is
 * applied by every later version, so the others stay as they are. If the process is killed in
 * between, the next start continues.
 */
export async function revalidate(
  schema: number,
  write: <T>(fn: (ctx: WriteContext) => Promise<T>, account?: AccountScope) => Promise<T>,
): Promise<void> {
  if ((await write(({ session }) => schemaValidated(session))) >= schema) return;
  for (const account of await write(allAccounts)) {
    for (let after = { streamPk: 0, seq: 0 }; ;) {
      const places = await write(
        ({ session }) => nextInQuarantine(session, account, after),
        account,
      );
      const last = places.at(-1);
      if (last === undefined) break;
      await write((ctx) => revalidateSome(ctx, places), account);
      after = last;
    }
  }
  await write(({ session }) =>
    session.db
      .updateTable('meta')
      .set({ value: String(schema) })
      .where('key', '=', JUDGED)
      .execute(),
  );
}
