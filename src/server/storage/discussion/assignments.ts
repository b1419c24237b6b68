import type { AccountId, CaseUid } from '../../../shared/contract/ids.ts';
import type { AssignedRow, AssignmentsInput } from '../../../shared/contract/v1/discussion.ts';
import type { AssignedPlace } from '../../../shared/domain/thread.ts';
import type { ErrorDetail } from '../../../shared/contract/errors.ts';
import { placeAddress, type Register } from '../../../sync/register.ts';
import type { Actor } from '../db/actor.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { type Listed, type Page, readCursor, writeCursor } from '../db/cursor.ts';
import { StoreError } from '../db/errors.ts';
import { when } from '../log/received.ts';
import { openStream } from '../log/change-log.ts';
import { needAnyCase, needCase } from '../records/cases.ts';
import { namesOf } from '../rounds/show-rounds.ts';
import { placeIn } from './place-in.ts';
import { placeProblems } from './places.ts';
import { writeDiscussion } from './write-threads.ts';

/** Which items and rules of a case are assigned, by place. */
export async function listAssignments(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
  to: string | undefined,
  page: Page,
): Promise<Listed<AssignedRow>> {
  const { streamPk } = await needAnyCase(ctx, account, caseUid);
  const after =
    page.cursor === undefined
      ? undefined
      : (readCursor('assignments', ['string'], page.cursor)[0] as string);
  const { session } = ctx;
  const rows = await session.db
    .selectFrom('assignments')
    .innerJoin('changes', (join) =>
      join
        .onRef('changes.account', '=', 'assignments.account')
        .onRef('changes.stream_pk', '=', 'assignments.stream_pk')
        .onRef('changes.seq', '=', 'assignments.seq'),
    )
    .select(['place', 'assignee', 'changes.author', 'changes.wall', 'changes.received_at'])
    .where('assignments.account', '=', session.account)
    .where('assignments.stream_pk', '=', streamPk)
    .where('assignee', 'is not', null)
    .$if(to !== undefined, (query) => query.where('assignee', '=', to!))
    .$if(after !== undefined, (query) => query.where('place', '>', after!))
    .orderBy('place')
    .limit(page.limit + 1)
    .execute();
  const shown = rows.slice(0, page.limit);
  const names = await namesOf(
    ctx,
    account,
    shown.flatMap(({ assignee }) => assignee ?? []),
  );
  const last = shown.at(-1);
  return {
    data: shown.flatMap(({ place, assignee, author, wall, received_at }) =>
      assignee === null
        ? []
        : [
            {
              place: placeIn(place),
              assigned_to: {
                id: assignee,
                name: names.get(assignee) ?? null,
                kind: assignee.startsWith('usr_') ? ('human' as const) : ('agent' as const),
              },
              assigned_by: author,
              assigned_at: when(wall, received_at),
            },
          ],
    ),
    next_cursor:
      rows.length > page.limit && last !== undefined
        ? writeCursor('assignments', [last.place])
        : null,
  };
}

/**
 * Assigns items and rules, as one gesture; what is as asked already is left as it is. What is
 * assigned can be taken back although the item or rule is gone.
 */
export async function assignPlaces(
  ctx: WriteContext,
  actor: Actor,
  caseUid: CaseUid,
  { places, to }: AssignmentsInput,
): Promise<{ assigned: number; unchanged: number }> {
  const { account_id: account } = actor;
  const stream = await openStream(ctx, account, caseUid);
  const stored = await needCase(ctx, account, caseUid);
  const { session } = ctx;
  const addresses = new Map(places.map((place) => [placeAddress(place), place]));
  const rows = await session.db
    .selectFrom('assignments')
    .select(['place', 'assignee'])
    .where('account', '=', session.account)
    .where('stream_pk', '=', stored.streamPk)
    .where(session.inList('place', [...addresses.keys()]))
    .execute();
  const now = new Map(rows.map(({ place, assignee }) => [place, assignee]));
  const isTakenBack = (place: AssignedPlace): boolean =>
    to === null && now.has(placeAddress(place));
  const asked = [...places.entries()].filter(([, place]) => !isTakenBack(place));
  const details: ErrorDetail[] = await placeProblems(
    ctx,
    account,
    stored,
    asked.map(([, place]) => place),
    (index) => `/places/${asked[index]?.[0]}`,
  );
  if (details.length > 0)
    throw new StoreError('validation_failed', 'Nothing was assigned.', details);
  const writes = [...addresses].flatMap(([address, place]) => {
    const register: Register = { kind: 'assigned', place };
    return (now.get(address) ?? null) === to ? [] : [{ register, value: { to } }];
  });
  if (writes.length > 0) await writeDiscussion(ctx, actor, { stream, stored }, writes);
  return { assigned: writes.length, unchanged: places.length - writes.length };
}
