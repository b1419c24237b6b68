import type { RunUid } from '../../../shared/contract/ids.ts';
import type { Sender } from '../../../shared/domain/sender.ts';
import { RunSignature, statementOf } from '../../../shared/domain/sign-off.ts';
import type { Actor } from '../db/actor.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { type Listed, type Page, readCursor, writeCursor } from '../db/cursor.ts';
import { StoreError } from '../db/errors.ts';
import { openStream } from '../log/change-log.ts';
import { receiptOf } from '../log/received.ts';
import { needAnyCase } from '../records/cases.ts';
import { entriesOf } from '../runs/runs.ts';
import { announced } from './announced.ts';
import { requestStamp } from './time-stamps.ts';
import { announceSignOff } from './write-stage.ts';

const CURSOR = 'signatures';

/** A signature as it is kept, and how it came here. */
export interface BroughtSignature {
  signature: RunSignature;
  received_at: string;
  sent_by: Sender | null;
}

/** The signatures on a run, in the order in which they came here. Those out of reach are none. */
export async function signaturesOf(
  { session }: ReadContext,
  runUid: RunUid,
  { limit, cursor }: Page,
): Promise<Listed<BroughtSignature>> {
  const after = cursor && readCursor(CURSOR, ['string', 'whole', 'whole'], cursor);
  const rows = await announced(session, {
    kind: 'signature',
    run_uid: runUid,
    most: limit + 1,
    ...(after && { after }),
  });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    data: shown.map((row) => {
      const { received_at, sent_by } = receiptOf(row);
      return { signature: RunSignature.parse(JSON.parse(row.value)), received_at, sent_by };
    }),
    next_cursor:
      rows.length > limit && last !== undefined
        ? writeCursor(CURSOR, [last.case_uid, last.seq, last.idx])
        : null,
  };
}

/** Writes a signature of the actor on a run of this store (Z6), to be stamped where `isStamped`. */
export async function addSignature(
  ctx: WriteContext,
  actor: Actor,
  runUid: RunUid,
  signature: RunSignature,
  { isStamped }: { isStamped: boolean },
): Promise<void> {
  const statement = statementOf(signature);
  if (statement === undefined) throw new Error('A statement is not canonical.');
  const stream = await openStream(ctx, actor.account_id, statement.case_uid);
  const stored = await needAnyCase(ctx, actor.account_id, statement.case_uid);
  const entries = await entriesOf(ctx, actor.account_id, runUid);
  if (!entries.some(({ content_hash }) => content_hash === statement.content_hash))
    throw new StoreError('not_found', 'There is no such run.');
  const register = { kind: 'signature', run: runUid } as const;
  await announceSignOff(ctx, actor, { stream, stored }, { register, value: signature });
  if (isStamped) await requestStamp(ctx, actor, statement, signature);
}
