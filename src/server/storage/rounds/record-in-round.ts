import type { AccountId, CaseUid } from '../../../shared/contract/ids.ts';
import type { ErrorDetail } from '../../../shared/contract/errors.ts';
import type {
  Round,
  RoundEvidenceInput,
  RoundOutcomeInput,
} from '../../../shared/contract/v1/rounds.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { Assertion } from '../../../sync/assertion.ts';
import { entryText, jsonString } from '../../../sync/change-writer.ts';
import { commitTo } from '../../../sync/layers/committed.ts';
import { isInRound, isRecorder, type RecordingRound } from '../../../sync/layers/rounds.ts';
import { formatRegister, layerStream, type Register } from '../../../sync/register.ts';
import type { Actor } from '../db/actor.ts';
import type { WriteContext } from '../db/context.ts';
import { StoreError } from '../db/errors.ts';
import { author } from '../log/author.ts';
import { openStream, type Stream } from '../log/change-log.ts';
import { isUncited, refuseUncitedOutcomes } from '../layers/citations.ts';
import { caseAndProfile } from '../records/case-profile.ts';
import { unknownRule } from '../records/unknown-rule.ts';
import type { StoredProfile } from '../db/stored-profile.ts';
import { needCase, type StoredCase } from '../records/cases.ts';
import { type FieldWrite, writeFields } from '../records/write-fields.ts';
import { LayerView } from './layer-view.ts';
import { readLayer } from './read-layer.ts';
import { missingItems } from './round-items.ts';
import { getRound, needRound } from './show-rounds.ts';
import { announce } from './write-rounds.ts';

/** Who a caller is as a recorder; what a studio's key writes by itself is nobody's recording. */
export const recorderOf = ({ kind, key_id, user_id }: Actor): string =>
  kind === 'agent' ? (key_id ?? '') : user_id;

/** The caller's layer, opened for writing. Whoever does not record in the round is refused. */
async function openLayer(
  ctx: WriteContext,
  actor: Actor,
  caseUid: CaseUid,
  round: RecordingRound,
): Promise<Stream> {
  const recorder = recorderOf(actor);
  if (!isRecorder(round.terms, recorder) || round.removed.has(recorder))
    throw new StoreError(
      'author_not_allowed',
      'These credentials are not of a recorder of this round. Nothing was stored.',
    );
  const name = layerStream({ case: caseUid, round: round.id, recorder });
  const stream = await openStream(ctx, actor.account_id, name);
  stream.sealedFor = round.state === 'released' ? undefined : recorder;
  return stream;
}

/** What is wrong with the cells that are to be recorded. */
async function problemsOf(
  ctx: WriteContext,
  stored: StoredCase,
  { terms }: RecordingRound,
  profileOfCase: StoredProfile,
  outcomes: readonly RoundOutcomeInput[],
): Promise<ErrorDetail[]> {
  const missing = await missingItems(ctx, stored, [
    ...new Set(outcomes.map(({ item_uid }) => item_uid)),
  ]);
  const { profile_uid: profile, profile_version: version } = terms;
  const wordsFor = unknownRule(profileOfCase);
  const seen = new Set<string>();
  return outcomes.flatMap(({ item_uid: item, rule_uid: rule }, index): ErrorDetail[] => {
    const path = `/outcomes/${index}`;
    const key = `${rule}/${item}`;
    if (seen.has(key))
      return [{ path, code: 'duplicate_cell', message: 'The request names this cell twice.' }];
    seen.add(key);
    if (missing.has(item))
      return [{ path, code: 'unknown_item', message: 'The case has no such item.' }];
    if (!profileOfCase.rules.includes(rule))
      return [{ path, code: 'unknown_rule', message: wordsFor(rule) }];
    return isInRound(terms, { profile, version, rule, item })
      ? []
      : [{ path, code: 'outside_round', message: 'The cell is not one of this round.' }];
  });
}

/** What a cell of a layer says. */
interface LayerCellNow {
  assertion: Assertion;
  notes: string | null;
}

/** What writing an outcome over a cell makes of it (V3). */
function assertionAfter(
  { raw_outcome, source_value, provenance }: RoundOutcomeInput,
  now: Assertion,
): Assertion {
  const outcome = raw_outcome === undefined ? now.raw_outcome : raw_outcome;
  const stays = outcome === now.raw_outcome;
  const source = source_value === undefined ? (stays ? now.source_value : null) : source_value;
  const origin = provenance === undefined ? (stays ? now.provenance : null) : provenance;
  return {
    raw_outcome: outcome,
    ...(typeof source === 'string' && { source_value: source }),
    ...(origin !== null && origin !== undefined && { provenance: origin }),
  };
}

/** Reads what the layer says of the registers that a request may write. */
async function readRegisters(
  view: LayerView,
  stream: Stream,
  regs: readonly string[],
): Promise<(reg: string) => Promise<unknown>> {
  await view.registers.load(regs);
  await view.heads.load(regs);
  await stream.changes.loadSeqs(view.registers.seqs());
  await stream.changes.loadContents(view.registers.seqs());
  return async (reg) => {
    const head = view.registers.head(reg);
    return head === null ? undefined : (await stream.changes.entryAt(head)).value;
  };
}

/**
 * The registers that have to be written, how many cells they change, and which outcomes say nothing
 * that they rest on.
 */
async function writesFor(
  view: LayerView,
  stream: Stream,
  { terms }: RecordingRound,
  outcomes: readonly RoundOutcomeInput[],
): Promise<{ writes: FieldWrite[]; cells: number; uncited: number[] }> {
  const place = { profile: terms.profile_uid, version: terms.profile_version };
  const registers = outcomes.map(({ rule_uid: rule, item_uid: item }) => ({
    assertion: { kind: 'assertion', ...place, rule, item } satisfies Register,
    notes: { kind: 'notes', ...place, rule, item } satisfies Register,
  }));
  const read = await readRegisters(
    view,
    stream,
    registers.flatMap(({ assertion, notes }) => [formatRegister(assertion), formatRegister(notes)]),
  );
  const writes: FieldWrite[] = [];
  const uncited: number[] = [];
  let cells = 0;
  for (const [index, input] of outcomes.entries()) {
    const { assertion, notes } = registers[index] as (typeof registers)[number];
    const now: LayerCellNow = {
      assertion: ((await read(formatRegister(assertion))) as Assertion | undefined) ?? {
        raw_outcome: null,
      },
      notes: ((await read(formatRegister(notes))) as string | null | undefined) ?? null,
    };
    const before = writes.length;
    const after = assertionAfter(input, now.assertion);
    const add = (register: Register, value: unknown): void => {
      const binding = view.registers.binding(formatRegister(register), () => {});
      writes.push({ register, value, binding });
    };
    if (canonicalJson(after) !== canonicalJson(now.assertion)) {
      add(assertion, after);
      if (isUncited(assertion, after)) uncited.push(index);
    }
    if (input.notes !== undefined && input.notes !== now.notes) add(notes, input.notes);
    if (writes.length > before) cells += 1;
  }
  return { writes, cells, uncited };
}

/** Records cells in the caller's own layer. */
export async function recordInRound(
  ctx: WriteContext,
  actor: Actor,
  caseUid: CaseUid,
  id: string,
  { outcomes, reason }: RoundEvidenceInput,
): Promise<{ written: number; changes: string[] }> {
  await needCase(ctx, actor.account_id, caseUid);
  const round = await needRound(ctx, actor.account_id, caseUid, id);
  const stream = await openLayer(ctx, actor, caseUid, round);
  const { profile_uid, profile_version } = round.terms;
  const { stored, profile } = await caseAndProfile(ctx, actor.account_id, {
    case_uid: caseUid,
    profile_uid,
    profile_version,
  });
  const details = await problemsOf(ctx, stored, round, profile, outcomes);
  if (details.length > 0)
    throw new StoreError('validation_failed', 'Some cells cannot be stored; nothing was.', details);
  const view = new LayerView(ctx, stream);
  const { writes, cells, uncited } = await writesFor(view, stream, round, outcomes);
  if (stored.requiresSource && actor.kind === 'agent')
    refuseUncitedOutcomes(uncited.map((index) => `/outcomes/${index}`));
  const changes =
    writes.length === 0 ? [] : await writeFields(ctx, actor, stream, view, writes, reason);
  return { written: cells, changes };
}

async function refuseSecond(round: RecordingRound, recorder: string): Promise<void> {
  if (!round.commitments.has(recorder)) return;
  throw new StoreError('conflict', 'This recorder is done already.', [
    {
      path: 'roundId',
      code: 'already_done',
      message: 'Of two commitments neither would count.',
    },
  ]);
}

/** Commits to the caller's layer as it is: the list into the layer, and then the word for it. */
export async function finishRound(
  ctx: WriteContext,
  actor: Actor,
  caseUid: CaseUid,
  id: string,
): Promise<{ round: Round; count: number }> {
  const account: AccountId = actor.account_id;
  await needCase(ctx, account, caseUid);
  const before = await needRound(ctx, account, caseUid, id);
  const layer = await openLayer(ctx, actor, caseUid, before);
  const recorder = recorderOf(actor);
  const stream = await openStream(ctx, account, caseUid);
  const stored = await needCase(ctx, account, caseUid);
  // Under the lock of the case's log: a release meanwhile makes this commitment a late one.
  const round = await needRound(ctx, account, caseUid, id);
  await refuseSecond(round, recorder);
  const { parts, done } = commitTo(
    await readLayer(ctx, account, { case: caseUid, round: id, recorder }),
    round.state === 'released',
  );
  if (parts.length > 0) {
    const texts = parts.map(({ op, parents, reg, value }) =>
      entryText(canonicalJson(parents), jsonString(reg), canonicalJson(value), op as 'announce'),
    );
    await author(ctx, layer, actor, texts);
    await new LayerView(ctx, layer).flush();
  }
  const register: Register = { kind: 'done', round: id, recorder };
  await announce(ctx, actor, { stream, stored }, [{ register, value: done }]);
  return { round: await getRound(ctx, account, caseUid, id), count: done.count };
}
