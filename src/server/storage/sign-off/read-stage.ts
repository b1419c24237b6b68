import type { AccountId, CaseUid } from '../../../shared/contract/ids.ts';
import type { SignOff } from '../../../shared/contract/v1/sign-off.ts';
import { NEXT_STAGES } from '../../../shared/domain/sign-off.ts';
import { type Change, entryName } from '../../../sync/change.ts';
import { compareHeads } from '../../../sync/heads.ts';
import {
  approvedSpans,
  isOfRecord,
  type PlacedMove,
  StageMove,
  stageOf,
} from '../../../sync/sign-off.ts';
import type { ReadContext } from '../db/context.ts';
import { yieldToEventLoop } from '../db/event-loop.ts';
import { unpack } from '../db/packed.ts';
import { RECEIPT, receiptOf } from '../log/received.ts';
import { needAnyCase, type StoredCase } from '../records/cases.ts';
import { announced } from './announced.ts';

/** A move with its place in this server's log, who made it and why, and how it came here. */
interface KnownMove extends PlacedMove, Came {
  seq: number;
  by: string;
  reason: string;
}

type Came = Pick<ReturnType<typeof receiptOf>, 'at' | 'received_at' | 'sent_by'>;
const cameBy = (row: Parameters<typeof receiptOf>[0]): Came => {
  const { at, received_at, sent_by } = receiptOf(row);
  return { at, received_at, sent_by };
};

/** The moves of a case, as they are in its log. */
export async function movesOf(
  { session }: ReadContext,
  { record }: StoredCase,
): Promise<KnownMove[]> {
  const rows = await announced(session, { kind: 'stage', case_uid: record.case_uid });
  return rows.map((row) => ({
    name: entryName(row.change_id, row.idx),
    hlc: row.hlc,
    value: StageMove.parse(JSON.parse(row.value)),
    seq: row.seq,
    by: row.author,
    reason: row.why ?? '',
    ...cameBy(row),
  }));
}

const MOST_LISTED = 100;
/** So many changes are read at once, and so many approvals asked about. */
const ROWS = 100;
const SPANS = 50;

type Spans = ReturnType<typeof approvedSpans<KnownMove>>;

/**
 * Changes under an approval by their author's clock, or that came here after it with an earlier
 * one.
 */
function changesUnder(
  { session }: ReadContext,
  { streamPk }: StoredCase,
  spans: Spans,
  after: number,
) {
  return session.db
    .selectFrom('changes')
    .leftJoin('users', 'users.user_id', 'changes.actor')
    .select(['seq', 'change_id', 'hlc', 'author', 'text', 'packed', ...RECEIPT])
    .where('account', '=', session.account)
    .where('stream_pk', '=', streamPk)
    .where('seq', '>', after)
    .where(({ and, eb, or }) =>
      or(
        spans.flatMap(({ from, to }) => [
          and([eb('hlc', '>', from.hlc), ...(to === undefined ? [] : [eb('hlc', '<=', to.hlc)])]),
          and([eb('seq', '>', from.seq), eb('hlc', '<=', from.hlc)]),
        ]),
      ),
    )
    .orderBy('seq')
    .limit(ROWS)
    .execute();
}

/**
 * Z4: changes of the record that were written, or came, after an approval without knowing of it.
 */
async function laterThan(
  ctx: ReadContext,
  stored: StoredCase,
  moves: readonly KnownMove[],
): Promise<SignOff['later']> {
  const all = approvedSpans(moves);
  const found = new Map<string, SignOff['later'][number]>();
  for (let first = 0; first < all.length; first += SPANS) {
    const spans = all.slice(first, first + SPANS);
    let rows: Awaited<ReturnType<typeof changesUnder>> = [];
    do {
      rows = await changesUnder(ctx, stored, spans, rows.at(-1)?.seq ?? 0);
      for (const row of rows) {
        const { entries } = JSON.parse(unpack(row.text, row.packed)) as Change;
        if (!entries.some(({ reg }) => isOfRecord(reg))) continue;
        const isWritten = spans.some(
          ({ from, to }) => row.hlc > from.hlc && (to === undefined || row.hlc <= to.hlc),
        );
        found.set(row.change_id, {
          change: row.change_id,
          by: row.author,
          after_by: isWritten ? 'clock' : 'receipt',
          ...cameBy(row),
        });
        if (found.size === MOST_LISTED) return [...found.values()];
      }
      await yieldToEventLoop();
    } while (rows.length === ROWS);
  }
  return [...found.values()];
}

export async function signOffOf(ctx: ReadContext, stored: StoredCase): Promise<SignOff> {
  const moves = await movesOf(ctx, stored);
  const { stage, unaware } = stageOf(moves);
  return {
    case_uid: stored.record.case_uid,
    stage,
    next: [...NEXT_STAGES[stage]],
    moves: moves
      .toSorted((a, b) => compareHeads(b, a))
      .map(({ value, by, at, received_at, sent_by, reason }) => ({
        stage: value.stage,
        by,
        at,
        received_at,
        sent_by,
        reason,
        ...(value.run && { run: value.run }),
      })),
    unaware: unaware.length,
    later: await laterThan(ctx, stored, moves),
  };
}

export const getSignOff = async (
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
): Promise<SignOff> => signOffOf(ctx, await needAnyCase(ctx, account, caseUid));
