import type { AccountId } from '../../../shared/contract/ids.ts';
import type { ExpressionBuilder } from 'kysely';
import type { ReadContext, WriteContext } from './context.ts';
import type { StoreTables } from './schema/schema.ts';

/** How long an answer can be repeated: a day. */
const KEPT_MS = 24 * 60 * 60 * 1_000;
/** Older than that, or given while a clock ran ahead: it would be repeated until then. */
function isOld(eb: ExpressionBuilder<StoreTables, 'idempotency'>, now: number) {
  return eb.or([
    eb('created_ms', '<=', Math.max(0, now - KEPT_MS)),
    eb('created_ms', '>', now + KEPT_MS),
  ]);
}
/**
 * Part of the table's key. The same for all, so that a key stands for one request, whatever its
 * operation.
 */
const ANY = '';

async function findAnswer(
  ctx: ReadContext,
  account: AccountId,
  key: string,
): Promise<IdempotentAnswer | undefined> {
  ctx.session.turnTo(account);
  const row = await ctx.session.db
    .selectFrom('idempotency')
    .select(['body_digest', 'status', 'headers', 'body'])
    .where('account', '=', ctx.session.numberOf(account))
    .where('key', '=', key)
    .where((eb) => eb.not(isOld(eb, ctx.ports.clock.now())))
    .executeTakeFirst();
  return (
    row && {
      body_digest: row.body_digest,
      status: row.status,
      headers: JSON.parse(row.headers) as Record<string, string>,
      body: row.body,
    }
  );
}

async function saveAnswer(
  ctx: WriteContext,
  account: AccountId,
  key: string,
  answer: IdempotentAnswer,
): Promise<void> {
  const { db } = ctx.session;
  ctx.session.turnTo(account);
  const row = {
    body_digest: answer.body_digest,
    status: answer.status,
    headers: JSON.stringify(answer.headers),
    body: answer.body,
    created_ms: ctx.now,
  };
  // An expired answer may still be in the table and is overwritten. A fresh one, written by a
  // concurrent copy of the request, is a unique violation: the transaction then runs again and
  // finds that answer.
  await db
    .deleteFrom('idempotency')
    .where('account', '=', ctx.session.numberOf(account))
    .where('key', '=', key)
    .where((eb) => isOld(eb, ctx.now))
    .execute();
  await db
    .insertInto('idempotency')
    .values({ ...row, account: ctx.session.account, operation: ANY, key })
    .execute();
}

/** Those of the account that the transaction is about. */
async function expireAnswers(ctx: WriteContext): Promise<void> {
  await ctx.session.db
    .deleteFrom('idempotency')
    .where('account', '=', ctx.session.account)
    .where('created_ms', '<=', Math.max(0, ctx.now - KEPT_MS))
    .execute();
}

export interface IdempotentAnswer {
  body_digest: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}

export const idempotency = { find: findAnswer, save: saveAnswer, expire: expireAnswers };
