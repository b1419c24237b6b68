import type { CaseUid } from '../../../shared/contract/ids.ts';
import type { z } from 'zod';
import { Metadata } from '../../../shared/contract/common.ts';
import type { Case } from '../../../shared/contract/v1/cases.ts';
import type { Cell, Evidence, OutcomeInput } from '../../../shared/contract/v1/evidence.ts';
import {
  type CaseCopy,
  type DuplicateInput,
  MAX_COPIED,
} from '../../../shared/contract/v1/housekeeping.ts';
import type { Actor } from '../db/actor.ts';
import type { WriteContext } from '../db/context.ts';
import { StoreError } from '../db/errors.ts';
import { caseAndProfile } from '../records/case-profile.ts';
import { upsertCase } from '../records/case-upsert.ts';
import { findAnyCase, needCase } from '../records/cases.ts';
import { evidencePage } from './evidence-page.ts';
import { recordEvidence } from './evidence-write.ts';

const ITEMS_AT_ONCE = 200;
const LONGEST_TITLE = 500;

function titleOf({ title }: Case): string {
  const suffix = ' (copy)';
  return [...title].slice(0, LONGEST_TITLE - suffix.length).join('') + suffix;
}

/** Makes a case of the same fields and profile. Throws conflict where a case has its name. */
async function makeCopy(
  ctx: WriteContext,
  actor: Actor,
  source: Case,
  { case_uid, project_id, title, reason }: DuplicateInput,
): Promise<Case> {
  if ((await findAnyCase(ctx, actor.account_id, case_uid)) !== undefined)
    throw new StoreError('conflict', 'There is a case with this case_uid already.', [
      { path: '/case_uid', code: 'uid_taken', message: 'Choose one that no case has.' },
    ]);
  const { record } = await upsertCase(
    ctx,
    actor,
    {
      case_uid,
      project_id: project_id ?? source.project_id,
      title: title ?? titleOf(source),
      description: source.description,
      case_type: source.case_type,
      metadata: source.metadata,
      ...(source.profile_uid !== null && { profile_uid: source.profile_uid }),
      ...(source.profile_version !== null && { profile_version: source.profile_version }),
      reason: reason ?? `Duplicate of the case ${source.case_uid}.`,
    },
    undefined,
  );
  return record;
}

/**
 * The provenance of an outcome with the case that it was copied from, and who recorded it first.
 * What is too large to say so as well stays as it is.
 */
function copiedProvenance(from: CaseUid, cell: Cell): OutcomeInput['provenance'] {
  const { provenance, recorded_by, updated_at } = cell;
  const own =
    typeof provenance === 'string' ? (provenance === '' ? {} : { source: provenance }) : provenance;
  const said: z.infer<typeof Metadata> = {
    ...(recorded_by !== null && {
      first_recorded_by: recorded_by.name,
      first_recorded_kind: recorded_by.kind,
      first_recorded_at: updated_at,
    }),
    ...own,
    copied_from: from,
  };
  return Metadata.safeParse(said).success ? said : provenance;
}

function outcomeOf(from: CaseUid, cell: Cell): OutcomeInput {
  const { item_uid, rule_uid, raw_outcome, source_value, notes } = cell;
  return {
    item_uid: item_uid as OutcomeInput['item_uid'],
    rule_uid: rule_uid as OutcomeInput['rule_uid'],
    raw_outcome,
    ...(raw_outcome !== null && { source_value, provenance: copiedProvenance(from, cell) }),
    ...(notes !== null && { notes }),
  };
}

type CopiedItems = Pick<CaseCopy, 'items' | 'outcomes' | 'recorded_by' | 'conflicts'>;

/** Copies items, and what is recorded of them, page by page. */
async function copyItems(
  ctx: WriteContext,
  actor: Actor,
  source: Case,
  copy: Case,
  { copy: what, reason }: DuplicateInput,
): Promise<CopiedItems> {
  const copied: CopiedItems = { items: 0, outcomes: 0, recorded_by: [], conflicts: 0 };
  const { profile_uid, profile_version } = source;
  if (profile_uid === null || profile_version === null) return copied;
  const account = actor.account_id;
  const asked = { profile_uid, profile_version };
  const { profile } = await caseAndProfile(ctx, account, { case_uid: copy.case_uid, ...asked });
  const from = source.case_uid;
  for (let cursor: string | undefined, isLast = false; !isLast;) {
    const page = (
      await evidencePage(
        ctx,
        account,
        { case_uid: from, ...asked },
        { limit: ITEMS_AT_ONCE, cursor },
      )
    ).value();
    refuseOther(page, profile.entry.digest, what);
    const cells = what === 'evidence' ? page.items.flatMap(({ evidence }) => evidence) : [];
    await recordEvidence(
      ctx,
      actor,
      {
        case_uid: copy.case_uid,
        ...asked,
        items: page.items.map(({ item_uid, item_type, label, metadata, position }) => ({
          item_uid: item_uid as OutcomeInput['item_uid'],
          item_type,
          label,
          metadata,
          position,
        })),
        outcomes: cells.map((cell) => outcomeOf(from, cell)),
        reason: reason ?? `CopiedItems from the case ${from}.`,
        itemPath: () => '/copy',
        outcomePath: () => '/copy',
      },
      undefined,
    );
    copied.items += page.items.length;
    count(copied, cells);
    isLast = page.next_cursor === null;
    cursor = page.next_cursor ?? undefined;
  }
  copied.recorded_by.sort((a, b) => b.outcomes - a.outcomes);
  return copied;
}

/** Refuses to copy under a document of other rules, and more than one request may take. */
function refuseOther({ profile_digest, summary }: Evidence, digest: string, what: string): void {
  if (profile_digest !== digest)
    throw new StoreError(
      'conflict',
      'The version of the profile means another document in a new case. Nothing was copied.',
      [{ path: '/copy', code: 'other_document', message: 'Duplicate the fields alone.' }],
    );
  if (what === 'evidence' && summary.recorded > MAX_COPIED)
    throw new StoreError('validation_failed', 'The case has too much evidence for a duplicate.', [
      {
        path: '/copy',
        code: 'too_many_outcomes',
        message: `A duplicate takes over at most ${MAX_COPIED} outcomes: duplicate the items, and import the rest.`,
      },
    ]);
}

function count(copied: CopiedItems, cells: readonly Cell[]): void {
  for (const { raw_outcome, recorded_by, contested } of cells) {
    if (contested) copied.conflicts += 1;
    if (raw_outcome === null) continue;
    copied.outcomes += 1;
    if (recorded_by === null) continue;
    const { kind, name } = recorded_by;
    const known = copied.recorded_by.find((one) => one.kind === kind && one.name === name);
    if (known === undefined) copied.recorded_by.push({ kind, name, outcomes: 1 });
    else known.outcomes += 1;
  }
}

/**
 * Makes a new case of a case. Each copied outcome names the case that it is from and who recorded
 * it there; the copy's author is whoever duplicates.
 */
export async function duplicateCase(
  ctx: WriteContext,
  actor: Actor,
  caseUid: CaseUid,
  input: DuplicateInput,
): Promise<CaseCopy> {
  const { record: source } = await needCase(ctx, actor.account_id, caseUid);
  const made = await makeCopy(ctx, actor, source, input);
  const copied =
    input.copy === 'fields'
      ? { items: 0, outcomes: 0, recorded_by: [], conflicts: 0 }
      : await copyItems(ctx, actor, source, made, input);
  return { case: made, copied_from: caseUid, ...copied };
}
