import type { AccountId, RunUid } from '../../../shared/contract/ids.ts';
import { MAX_DETAILS } from '../../../shared/contract/errors.ts';
import type { RunInput } from '../../../shared/contract/v1/runs.ts';
import { isMaterial } from '../../../shared/domain/contested.ts';
import { DEFAULT_SETTINGS, ResultError } from '../../../shared/domain/result.ts';
import { freezeRun, type RunRecord } from '../../../shared/domain/run.ts';
import type { Actor } from '../db/actor.ts';
import { author } from '../log/author.ts';
import { entryText, jsonString } from '../../../sync/change-writer.ts';
import { type Beneath, beneathDeletions, placeOf } from './beneath-deletions.ts';
import {
  type CaseProfileDocument,
  profileForCase,
  refuseUnsettled,
} from '../records/case-profile.ts';
import { CaseView } from '../records/case-view.ts';
import { needCase, type StoredCase } from '../records/cases.ts';
import { authorName, type WriteContext } from '../db/context.ts';
import { checkReviewed } from './evidence-etag.ts';
import { findMatrix } from '../records/matrices.ts';
import { Gesture } from '../log/gesture.ts';
import { sortableId } from '../db/ids.ts';
import { flushStream, openStream, type Stream } from '../log/change-log.ts';
import { yieldToEventLoop } from '../db/event-loop.ts';
import { storeContent, type StoredEntry, toRecord } from '../runs/run-content.ts';
import { type RunEvidence, readEvidence } from './run-evidence.ts';
import { frozenRound } from '../rounds/frozen-round.ts';
import { refuseHidden } from '../rounds/hidden-cells.ts';
import { storeRecorders } from '../runs/run-recorders.ts';
import { entriesOf, entryOf, insertRun, readRun } from '../runs/runs.ts';
import { StoreError } from '../db/errors.ts';
import type { Precondition } from '../db/precondition.ts';
import type { StoredProfile } from '../db/stored-profile.ts';
import { nameDocument } from './name-document.ts';
import { place } from './place-entries.ts';

const ENGINE = 'evidence-studio';

/**
 * Freezes a case. If the same run_uid is given again with equal content, the first run is returned.
 * A precondition's `tags` are entity tags of the evidence that was reviewed.
 */
export async function createRun(
  ctx: WriteContext,
  actor: Actor,
  input: RunInput,
  precondition?: Precondition,
): Promise<{ json: string; record: RunRecord; created: boolean }> {
  const { account_id } = actor;
  const stream = await openStream(ctx, account_id, input.case_uid);
  const stored = await needCase(ctx, account_id, input.case_uid);
  const found = await profileForCase(
    ctx,
    account_id,
    stored,
    input.profile_uid,
    input.profile_version,
  );
  refuseUnsettled(found);
  await refuseHidden(ctx, account_id, input.case_uid, found.profile.document);
  checkTags(ctx, input, precondition, stream, found.profile);
  const { evidence, frozen } = await freezeCase(ctx, account_id, input, {
    stored,
    profile: found.profile,
  });
  await yieldToEventLoop();
  if (input.run_uid !== undefined) {
    const same = await runOfContent(ctx, account_id, input.run_uid, frozen.content_hash);
    if (same !== undefined) return { ...(await readRun(ctx, account_id, same)), created: false };
  }
  const { settings, method, result, content_hash } = frozen;
  const content = await storeContent(
    ctx,
    account_id,
    { ...frozen.frozen, settings, method, result },
    content_hash,
    true,
  );
  const record = toRecord(
    {
      run_uid: input.run_uid ?? sortableId('run_', ctx.ports),
      project_id: stored.record.project_id,
      created_at: ctx.at,
      created_by: authorName(actor),
      engine: { name: ENGINE, version: ctx.ports.version },
    },
    content,
    content_hash,
  );
  await yieldToEventLoop();
  await announce(ctx, stream, actor, { stored, found, record, reason: input.reason });
  await insertRun(ctx, account_id, entryOf(record));
  await nameRecorders(ctx, account_id, record, evidence);
  return { json: JSON.stringify(record), record, created: true };
}

/** Refuses evidence that is not what the request says was reviewed. */
function checkTags(
  ctx: WriteContext,
  { if_match }: RunInput,
  precondition: Precondition | undefined,
  { states }: Stream,
  profile: StoredProfile,
): void {
  if (precondition !== 'absent') checkReviewed(ctx, precondition, states, profile);
  if (if_match !== undefined)
    checkReviewed(ctx, { versions: [], tags: [if_match.replaceAll('"', '')] }, states, profile);
}

/** Throws unused_profile where neither the case nor anything recorded in it names the profile. */
function checkUsed(
  { allow_unused_profile }: RunInput,
  { record }: StoredCase,
  { profileUid, version }: StoredProfile['document'],
): void {
  if (allow_unused_profile === true || record.profile_uid === profileUid) return;
  throw new StoreError(
    'unused_profile',
    `Nothing was ever recorded under ${profileUid} ${version}.`,
    [
      {
        path: '/profile_uid',
        code: 'unused_profile',
        message: 'Name a profile that the case uses, or send allow_unused_profile.',
      },
    ],
  );
}

/** The evidence of a case under a profile, and what is frozen of it. */
async function freezeCase(
  ctx: WriteContext,
  account: AccountId,
  input: RunInput,
  { stored, profile }: { stored: StoredCase; profile: StoredProfile },
): Promise<{ evidence: RunEvidence; frozen: ReturnType<typeof freezeRun> }> {
  const { document } = profile;
  const matrix = await findMatrix(ctx, stored.pk, document.profileUid, document.version);
  const evidence = await readEvidence(ctx, stored, matrix, profile);
  const round =
    input.round_id === undefined
      ? undefined
      : await frozenRound(ctx, account, { stored, matrix, document }, input.round_id);
  const { items, cells, contested } = evidence;
  if (matrix === undefined && items.length > 0) checkUsed(input, stored, document);
  checkContested(input, contested, await beneathDeletions(ctx, stored, matrix, profile, true));
  const { case_uid, title, description, case_type, metadata } = stored.record;
  const frozen = freeze(ctx, {
    case: { case_uid, title, description, case_type, metadata },
    profile: document,
    items,
    cells,
    settings: { ...DEFAULT_SETTINGS, ...input.settings },
    round,
    ...(contested.length > 0 && input.reason !== undefined
      ? { contested, contested_reason: input.reason }
      : {}),
  });
  return { evidence, frozen };
}

/** The run that has this run_uid and this content. Throws conflict where it has other content. */
async function runOfContent(
  ctx: WriteContext,
  account: AccountId,
  runUid: RunUid,
  hash: string,
): Promise<StoredEntry | undefined> {
  const entries = await entriesOf(ctx, account, runUid);
  const same = entries.find((entry) => entry.content_hash === hash);
  if (same === undefined && entries.length > 0)
    throw new StoreError('conflict', 'A run with this run_uid exists with other content.', [
      {
        path: '/run_uid',
        code: 'run_uid_taken',
        message: 'Choose another run_uid, or leave it out.',
      },
    ]);
  return same;
}

/** Writes the run into the log of its case. */
async function announce(
  ctx: WriteContext,
  stream: Stream,
  actor: Actor,
  {
    stored,
    found,
    record: { run_uid, content_hash },
    reason,
  }: {
    stored: StoredCase;
    found: CaseProfileDocument;
    record: RunRecord;
    reason: string | undefined;
  },
): Promise<void> {
  const announcement = entryText(
    '[]',
    jsonString(`run/${run_uid}`),
    `{"content_hash":${jsonString(content_hash)}}`,
    'announce',
  );
  if (found.named) {
    await author(ctx, stream, actor, [announcement], reason);
    await flushStream(ctx, stream);
    return;
  }
  // What was frozen keeps its meaning: the matrix names the document from here on.
  const view = new CaseView(ctx, stream, stored);
  const gesture = new Gesture();
  gesture.text(announcement);
  await nameDocument(view, gesture, found.profile);
  await place(ctx, view, gesture, actor, reason);
}

async function nameRecorders(
  ctx: WriteContext,
  account: AccountId,
  record: RunRecord,
  { items, recorders: collector }: RunEvidence,
): Promise<void> {
  const rowOf = new Map(items.map(({ item_uid }, row) => [item_uid, row]));
  const recorders = await collector.finish(
    record,
    record.frozen.items.map(({ item_uid }) => rowOf.get(item_uid) as number),
  );
  if (recorders !== undefined) await storeRecorders(ctx, account, record, recorders);
}

function freeze(
  ctx: WriteContext,
  input: Parameters<typeof freezeRun>[0],
): ReturnType<typeof freezeRun> {
  try {
    return freezeRun(input, ctx.ports.hasher);
  } catch (error) {
    if (error instanceof ResultError && error.code === 'empty_matrix')
      throw new StoreError(
        'empty_matrix',
        'The case has no items under this profile, so there is nothing to freeze.',
      );
    throw error;
  }
}

/**
 * Refuses cells that nobody has settled, unless they are accepted with a reason. Those beneath
 * deletions count too, although no result depends on them: their authors believe them to be in it.
 */
function checkContested(
  input: RunInput,
  contested: RunEvidence['contested'],
  beneath: readonly Beneath[],
): void {
  if (contested.length + beneath.length === 0) return;
  if (input.accept_contested !== true) {
    const material = contested.filter(({ heads: [shown, ...others] }) =>
      isMaterial(
        shown?.raw_outcome ?? null,
        others.map((head) => head.raw_outcome),
      ),
    );
    const named = material.map(({ item_uid, rule_uid, heads: [shown, ...others] }) => ({
      path: '/accept_contested',
      code: 'material_cell',
      message:
        `${item_uid}, ${rule_uid}: shown as ${shown?.raw_outcome ?? 'unrecorded'}, ` +
        'also recorded as ' +
        `${[...new Set(others.map((head) => head.raw_outcome ?? 'unrecorded'))].join(' and ')}.`,
    }));
    const hidden = beneath
      .map(({ reg }) => placeOf(reg))
      .map(({ item_uid, rule_uid, field }) => ({
        path: '/accept_contested',
        code: 'beneath_deletion',
        message:
          `${item_uid}, ${rule_uid}: ${field === 'notes' ? 'notes were' : 'an outcome was'} ` +
          'written by somebody who did not know that the row was deleted.',
      }));
    const none =
      contested.length === 0
        ? []
        : [
            {
              path: '/accept_contested',
              code: 'contested_cell',
              message:
                'Cells were written by people who did not see each other. None of them changes the result.',
            },
          ];
    const details = [...(named.length > 0 ? named : none), ...hidden].slice(0, MAX_DETAILS);
    const below = beneath.length === 0 ? '' : ` ${beneath.length} were written beneath deletions.`;
    throw new StoreError(
      'contested_cells',
      `${contested.length} contested cells are not resolved; ` +
        `${material.length} of them change the result.${below} Resolve them, ` +
        'or send accept_contested with a reason.',
      details,
    );
  }
  if (input.reason === undefined)
    throw new StoreError('validation_failed', 'Freezing contested cells needs a reason.', [
      {
        path: '/reason',
        code: 'reason_missing',
        message: 'Say why the run is made although cells are contested.',
      },
    ]);
}
