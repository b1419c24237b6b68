import type { AccountId, CaseUid, RunUid, UserId } from '../../../shared/contract/ids.ts';
import { type RunSignature, stampedText, TimeStamp } from '../../../shared/domain/sign-off.ts';
import type { Actor } from '../db/actor.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { openStream } from '../log/change-log.ts';
import { needAnyCase } from '../records/cases.ts';
import { announced } from './announced.ts';
import { announceSignOff } from './write-stage.ts';

/** A time-stamp that somebody is to ask for now. */
export interface StampRequest {
  /** The file that is stamped, and its SHA-256 in hexadecimal digits. */
  signed: string;
  covers: string;
  /** Those that failed so far, and among them answers that were refused. */
  attempts: number;
  refused: number;
}

/** What is known of the time of a run's signatures. */
export interface KnownStamps {
  stamps: TimeStamp[];
  /** Requests that have no answer yet; `isOver`: nobody asks any more. */
  requests: { covers: string; isOver: boolean; result: string | null }[];
}

/** Few enough that all are asked for at once, within the lease. */
const AT_ONCE = 10;
/** Of one run: a signature has one as a rule. */
const MOST_STAMPS = 1_000;

/** Puts down that a signature is to be stamped, in the transaction that writes it. */
export async function requestStamp(
  ctx: WriteContext,
  { account_id, user_id, user_name }: Actor,
  { case_uid, run_uid }: { case_uid: CaseUid; run_uid: RunUid },
  signature: RunSignature,
): Promise<void> {
  const { session, ports, at, now } = ctx;
  const signed = stampedText(signature);
  await session.db
    .insertInto('time_stamp_requests')
    .values({
      account: session.account,
      covers: ports.hasher.sha256Hex(signed),
      ...{ signed, case_uid, run_uid, user_id, user_name },
      ...{ created_at: at, attempts: 0, refused: 0, due: now, last_result: null },
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await session.db
    .insertInto('stamping_accounts')
    .values({ account_id })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Accounts that have, or had, requests. */
export async function stampingAccounts({ session }: ReadContext): Promise<AccountId[]> {
  const rows = await session.db.selectFrom('stamping_accounts').select('account_id').execute();
  return rows.map(({ account_id }) => account_id);
}

/**
 * Takes the requests of the account that are due. They are due again after `leaseMs`, in case that
 * whoever took them is gone by then.
 */
export async function takeStampRequests(
  { session, now }: WriteContext,
  leaseMs: number,
): Promise<StampRequest[]> {
  const due = await session.db
    .selectFrom('time_stamp_requests')
    .select('covers')
    .where('account', '=', session.account)
    .where('due', '<=', now)
    .orderBy('due')
    .limit(AT_ONCE)
    .execute();
  if (due.length === 0) return [];
  return session.db
    .updateTable('time_stamp_requests')
    .set({ due: now + leaseMs })
    .where('account', '=', session.account)
    .where('due', '<=', now)
    .where(
      session.inList(
        'covers',
        due.map(({ covers }) => covers),
      ),
    )
    .returning(['covers', 'signed', 'attempts', 'refused'])
    .execute();
}

/** An attempt failed: the request is due again at a time, or never. */
export async function noteStampAttempt(
  { session }: WriteContext,
  covers: string,
  { result, isRefused, again }: { result: string; isRefused: boolean; again: number | null },
): Promise<void> {
  await session.db
    .updateTable('time_stamp_requests')
    .set(({ eb }) => ({
      due: again,
      attempts: eb('attempts', '+', 1),
      refused: eb('refused', '+', isRefused ? 1 : 0),
      last_result: result.slice(0, 200),
    }))
    .where('account', '=', session.account)
    .where('covers', '=', covers)
    .execute();
}

/**
 * Writes a time-stamp that was asked for into the case's log (Z7), in the name of who signed. The
 * second of two that were asked for at once is none.
 */
export async function addTimeStamp(
  ctx: WriteContext,
  accountId: AccountId,
  stamp: TimeStamp,
): Promise<void> {
  const { session } = ctx;
  const asked = await session.db
    .deleteFrom('time_stamp_requests')
    .where('account', '=', session.account)
    .where('covers', '=', stamp.covers)
    .returning(['case_uid', 'run_uid', 'user_id', 'user_name'])
    .executeTakeFirst();
  if (asked === undefined) return;
  const { case_uid, run_uid, user_id, user_name } = asked;
  const actor: Actor = {
    account_id: accountId,
    ...{ user_id: user_id as UserId, user_name },
    ...{ kind: 'human', key_id: null, key_name: null },
  };
  const stream = await openStream(ctx, accountId, case_uid);
  const stored = await needAnyCase(ctx, accountId, case_uid);
  const register = { kind: 'time_stamp', run: run_uid } as const;
  await announceSignOff(ctx, actor, { stream, stored }, { register, value: stamp });
}

/** The time-stamps of a run's signatures, and those that were asked for. */
export async function stampsOn({ session }: ReadContext, runUid: RunUid): Promise<KnownStamps> {
  const rows = await announced(session, {
    kind: 'time_stamp',
    run_uid: runUid,
    most: MOST_STAMPS,
  });
  const requests = await session.db
    .selectFrom('time_stamp_requests')
    .select(['covers', 'due', 'last_result'])
    .where('account', '=', session.account)
    .where('run_uid', '=', runUid)
    .execute();
  return {
    stamps: rows.map(({ value }) => TimeStamp.parse(JSON.parse(value))),
    requests: requests.map(({ covers, due, last_result: result }) => ({
      covers,
      isOver: due === null,
      result,
    })),
  };
}
