import type { AccountId } from '../../../shared/contract/ids.ts';
import type { Activity } from '../../../shared/contract/v1/activity.ts';
import type { ReadContext } from '../db/context.ts';
import { pipelined } from '../db/session.ts';
import { casesPage, type StoredCase } from '../records/cases.ts';

/** Most cases that an answer tells of, and most changes of each that are looked at. */
const CASES = 20;
const CHANGES = 200;

type Kind = Activity['kind'];

/** The latest changes of a case's log, newest first; one more than is told of. */
function latestChanges({ session }: ReadContext, { streamPk }: StoredCase) {
  return session.db
    .selectFrom('changes')
    .select(['received_at', 'author', 'author_kind'])
    .where('account', '=', session.account)
    .where('stream_pk', '=', streamPk)
    .orderBy('seq', 'desc')
    .limit(CHANGES + 1)
    .execute();
}

/**
 * Who has written in which cases since a moment: the cases written to last, and of each no more
 * than its latest changes, so that an answer costs the same however much there is.
 */
export async function activitySince(
  ctx: ReadContext,
  account: AccountId,
  since: string,
  kind: Kind | undefined,
): Promise<Activity[]> {
  const { data } = await casesPage(
    ctx,
    account,
    { project_id: undefined, sort: 'active', order: 'desc', since },
    { limit: CASES, cursor: undefined },
  );
  const logs = await pipelined(...data.map((stored) => latestChanges(ctx, stored)));
  return data.flatMap(({ record }, place) => {
    const changes = (logs[place] ?? []).filter(({ received_at }) => received_at >= since);
    const by = Map.groupBy(changes.slice(0, CHANGES), (row) => `${row.author_kind} ${row.author}`);
    return [...by.values()].flatMap((of): Activity[] => {
      const [last] = of;
      if (last === undefined || (kind !== undefined && last.author_kind !== kind)) return [];
      return [
        {
          case_uid: record.case_uid,
          title: record.title,
          kind: last.author_kind as Kind,
          by: last.author,
          last_at: last.received_at,
          changes: of.length,
          ...(changes.length > CHANGES && { more: true }),
        },
      ];
    });
  });
}
