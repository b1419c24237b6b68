import type { AccountId, RunUid } from '../../../shared/contract/ids.ts';
import { RunSignature, statementOf } from '../../../shared/domain/sign-off.ts';
import type { Actor } from '../db/actor.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { StoreError } from '../db/errors.ts';
import { openStream } from '../log/change-log.ts';
import { needAnyCase } from '../records/cases.ts';
import { entriesOf } from '../runs/runs.ts';
import { announceSignOff } from './write-stage.ts';

/** The signatures on a run, in the order in which they came here. Those out of reach are none. */
export async function signaturesOf(
  ctx: ReadContext,
  account: AccountId,
  runUid: RunUid,
): Promise<RunSignature[]> {
  const rows = await ctx.session.db
    .selectFrom('sign_offs')
    .select('value')
    .where('account', '=', ctx.session.numberOf(account))
    .where('run_uid', '=', runUid)
    .where('kind', '=', 'signature')
    .orderBy('case_uid')
    .orderBy('seq')
    .execute();
  return rows.map(({ value }) => RunSignature.parse(JSON.parse(value)));
}

/** Writes a signature of the actor on a run of this store (Z6). */
export async function addSignature(
  ctx: WriteContext,
  actor: Actor,
  runUid: RunUid,
  signature: RunSignature,
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
}
