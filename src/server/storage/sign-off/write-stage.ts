import type { CaseUid, RunUid } from '../../../shared/contract/ids.ts';
import type { SignOff } from '../../../shared/contract/v1/sign-off.ts';
import { type ApprovedRun, type CaseStage, isForOwners } from '../../../shared/domain/sign-off.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { entryText, jsonString } from '../../../sync/change-writer.ts';
import { entryName } from '../../../sync/change.ts';
import { formatRegister, type Register } from '../../../sync/register.ts';
import { mayMove, type StageMove, stageOf } from '../../../sync/sign-off.ts';
import type { Actor } from '../db/actor.ts';
import type { WriteContext } from '../db/context.ts';
import { StoreError } from '../db/errors.ts';
import { author } from '../log/author.ts';
import { openStream, type Stream } from '../log/change-log.ts';
import { CaseView } from '../records/case-view.ts';
import { needCase, type StoredCase } from '../records/cases.ts';
import { entriesOf } from '../runs/runs.ts';
import { movesOf, signOffOf } from './read-stage.ts';

/** Writes a move, a signature or a time-stamp into a case's log. */
export async function announceSignOff(
  ctx: WriteContext,
  actor: Actor,
  { stream, stored }: { stream: Stream; stored: StoredCase },
  { register, value }: { register: Register; value: unknown },
  why?: string,
): Promise<void> {
  const view = new CaseView(ctx, stream, stored);
  const reg = jsonString(formatRegister(register));
  const text = entryText('[]', reg, canonicalJson(value), 'announce');
  for (const { seq, id, hlc } of await author(ctx, stream, actor, [text], why))
    view.signOff.announce(register, value, { seq, index: 0 }, { hlc, name: entryName(id, 0) });
  await view.flush();
}

const invalid = (path: string, code: string, message: string): StoreError =>
  new StoreError('validation_failed', message, [{ path, code, message }]);

async function approvedRun(
  ctx: WriteContext,
  actor: Actor,
  caseUid: CaseUid,
  runUid: RunUid,
): Promise<ApprovedRun> {
  const found = (await entriesOf(ctx, actor.account_id, runUid)).find(
    ({ case_uid }) => case_uid === caseUid,
  );
  if (found === undefined) throw invalid('/run_uid', 'unknown_run', 'The case has no such run.');
  return { run_uid: runUid, content_hash: found.content_hash };
}

/** Moves a case to another stage (Z1 to Z3). */
export async function moveCase(
  ctx: WriteContext,
  actor: Actor,
  caseUid: CaseUid,
  input: { stage: CaseStage; reason: string; run_uid?: RunUid | undefined },
): Promise<SignOff> {
  const stream = await openStream(ctx, actor.account_id, caseUid);
  const stored = await needCase(ctx, actor.account_id, caseUid);
  const { stage: before, move } = stageOf(await movesOf(ctx, stored));
  const { stage, reason, run_uid } = input;
  if (!mayMove(before, stage))
    throw new StoreError('conflict', 'The case cannot go there from the stage that it is in.', [
      { path: '/stage', code: 'other_stage', message: `It is ${before} now.` },
    ]);
  if (isForOwners(stage) && ctx.credential !== undefined && ctx.credential.role !== 'owner')
    throw new StoreError(
      'insufficient_scope',
      'A case is approved, and opened again, by an owner of the account.',
    );
  if (stage === 'approved' && run_uid === undefined)
    throw invalid('/run_uid', 'run_missing', 'Say which run of the case is approved.');
  if (stage !== 'approved' && run_uid !== undefined)
    throw invalid('/run_uid', 'run_not_wanted', 'Only an approval names a run.');
  const value: StageMove = {
    stage,
    after: move?.name ?? null,
    ...(run_uid && { run: await approvedRun(ctx, actor, caseUid, run_uid) }),
  };
  await announceSignOff(
    ctx,
    actor,
    { stream, stored },
    { register: { kind: 'stage' }, value },
    reason,
  );
  return signOffOf(ctx, await needCase(ctx, actor.account_id, caseUid));
}
