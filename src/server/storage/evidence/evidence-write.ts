import type { ErrorDetail } from '../../../shared/contract/errors.ts';
import { MAX_DETAILS } from '../../../shared/contract/errors.ts';
import {
  type EvidenceReceipt,
  type ItemInput,
  MAX_ITEMS,
  type OutcomeInput,
} from '../../../shared/contract/v1/evidence.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { author, jsonString } from '../log/author.ts';
import { CaseView, internRules } from '../records/case-view.ts';
import { caseAndProfile, refuseUnsettled } from '../records/case-profile.ts';
import { ASSERTION, type CellBook } from '../log/cell-book.ts';
import type { WriteContext } from '../db/context.ts';
import {
  answersFor,
  type Drafted,
  isAsShown,
  refuseConflicts,
  type EvidenceWrite,
} from './evidence-answers.ts';
import { checkReviewed } from './evidence-etag.ts';
import { Gesture } from '../log/gesture.ts';
import type { ItemField, ItemRow } from '../log/item-book.ts';
import { OutcomeDrafter } from './outcome-drafter.ts';
import { Pace, pause } from '../db/pace.ts';
import type { Actor } from '../db/actor.ts';
import { permit } from '../db/permit.ts';
import type { StoredProfile } from '../db/stored-profile.ts';
import { openStream } from '../log/ledger.ts';
import { together } from '../db/session.ts';
import { StoreError } from '../db/errors.ts';
import type { Precondition } from '../db/precondition.ts';

/**
 * Records items and outcomes of one request as one gesture. Nothing is kept where anything is wrong
 * with it. A precondition's `tags` are entity tags of pages of evidence: the matrix must not have
 * changed since.
 */
export async function recordEvidence(
  ctx: WriteContext,
  actor: Actor,
  write: EvidenceWrite,
  precondition: Precondition,
): Promise<EvidenceReceipt> {
  const [stream, found] = await together(
    openStream(ctx, actor.account_id, write.case_uid),
    caseAndProfile(ctx, actor.account_id, write),
  );
  const { stored, profile } = found;
  checkReviewed(ctx, precondition, stream.states, profile);
  refuseUnsettled(found);
  const view = new CaseView(ctx, stream, stored);
  const gesture = new Gesture();
  const inUse = { profile_uid: write.profile_uid, profile_version: profile.document.version };
  if (stored.record.profile_uid === null) await chooseProfile(view, gesture, inUse);
  if (!found.named) await nameDocument(view, gesture, profile);
  const chosen = gesture.texts.length;
  const details: ErrorDetail[] = [];
  const reads = await readAhead(ctx, view, write, profile);
  const items = await draftItems(ctx, view, gesture, write, details);
  const outcomes =
    write.outcomes.length === 0 && details.length === 0
      ? []
      : await draftOutcomes(view, gesture, write, profile, reads, details);
  if (details.length > 0)
    throw new StoreError(
      'validation_failed',
      'Some entries cannot be stored; nothing was.',
      details,
    );
  refuseConflicts(write, outcomes);
  // The choice of the profile and of its document alone is no evidence.
  const changes =
    gesture.texts.length > chosen ? await place(ctx, view, gesture, actor, write.reason) : [];
  return {
    case_uid: write.case_uid,
    ...inUse,
    ...items,
    ...(await answersFor(view, write, outcomes)),
    changes,
  };
}

/**
 * What is asked of the store in any case, in three turns: what is known by name, then the cells,
 * then the names of the heads that will be cited.
 */
async function readAhead(
  ctx: WriteContext,
  view: CaseView,
  { items, outcomes }: EvidenceWrite,
  { document, rules }: StoredProfile,
): Promise<{ rules: ReadonlyMap<string, number>; cells: CellBook | undefined }> {
  const written = new Set(items.map((item) => item.item_uid));
  const [numbers, cells] = await together(
    outcomes.length === 0 ? Promise.resolve(new Map<string, number>()) : internRules(ctx, rules),
    outcomes.length === 0
      ? Promise.resolve(undefined)
      : view.matrix(document.profileUid, document.version),
    view.items.load([...written, ...new Set(outcomes.map((outcome) => outcome.item_uid))]),
  );
  const pks = new Set<number>();
  const columns = new Set<number>();
  for (const { item_uid, rule_uid } of outcomes) {
    const [row, rule] = [view.items.get(item_uid), numbers.get(rule_uid)];
    if (row !== undefined) pks.add(row.pk);
    if (rule !== undefined) columns.add(rule);
  }
  await cells?.load(
    [...pks],
    [...columns],
    outcomes.length > 0.5 * pks.size * columns.size && columns.size > 10,
  );
  const heads = new Set(cells?.headSeqs());
  for (const row of view.items.values())
    if (written.has(row.uid)) for (const [seq] of Object.values(row.heads)) heads.add(seq);
  await view.stream.changes.loadSeqs(heads);
  return { rules: numbers, cells };
}

async function chooseProfile(
  view: CaseView,
  gesture: Gesture,
  inUse: { profile_uid: string; profile_version: string },
): Promise<void> {
  await view.registers.load(['case/profile']);
  await view.heads.load(['case/profile']);
  await view.stream.changes.loadSeqs(view.registers.seqs());
  const head = view.registers.head('case/profile');
  const slot = view.registers.slot('case/profile', (value) => view.showField('profile', value));
  gesture.entry(
    slot,
    head === null ? null : view.stream.changes.nameOf(head),
    canonicalJson(inUse),
    inUse,
  );
}

/** Names the document that the case's matrix is of from here on, on every store alike. */
export async function nameDocument(
  view: CaseView,
  gesture: Gesture,
  { document, entry }: StoredProfile,
): Promise<void> {
  const slot = view.documents.slot(document.profileUid, document.version);
  await view.registers.load([slot.reg]);
  await view.heads.load([slot.reg]);
  await view.stream.changes.loadSeqs(view.registers.seqs());
  const value = { digest: entry.digest };
  gesture.entry(
    slot,
    slot.head === null ? null : view.stream.changes.nameOf(slot.head),
    canonicalJson(value),
    value,
  );
}

/** Appends the entries of a gesture and applies them; answers the ids of its changes. */
export async function place(
  ctx: WriteContext,
  view: CaseView,
  gesture: Gesture,
  actor: Actor,
  reason: string | undefined,
): Promise<string[]> {
  const pace = new Pace();
  const spans = await author(ctx, view.stream, actor, gesture.texts, reason);
  for (const { seq, start, count } of spans) {
    for (let index = 0; index < count; index += 1) {
      const entry = start + index;
      const cell = gesture.cells[entry];
      if (cell === undefined) {
        const slotted = gesture.slots.get(entry);
        if (slotted !== undefined)
          await view.heads.apply(slotted.slot, {
            seq,
            index,
            parents: slotted.parent === null ? [] : [slotted.parent],
            value: slotted.value,
            restores: slotted.restores,
          });
      } else if (gesture.bits[entry] === ASSERTION) {
        cell.headSeq = seq;
        cell.headIndex = index;
      } else {
        cell.notesSeq = seq;
        cell.notesIndex = index;
      }
      if (pace.due(0.2)) await pause();
    }
  }
  await view.flush();
  return spans.map(({ id }) => id);
}

function refuse(details: ErrorDetail[], path: string, code: string, message: string): void {
  if (details.length < MAX_DETAILS) details.push({ path, code, message });
}

async function draftItems(
  ctx: WriteContext,
  view: CaseView,
  gesture: Gesture,
  write: EvidenceWrite,
  details: ErrorDetail[],
): Promise<{ items_created: number; items_updated: number }> {
  const { items } = write;
  const uids = new Set<string>();
  items.forEach((item, index) => {
    if (uids.has(item.item_uid))
      refuse(
        details,
        `${write.itemPath(index)}/item_uid`,
        'duplicate_item',
        'The item is in this request already.',
      );
    uids.add(item.item_uid);
  });
  const known = items
    .map((item) => view.items.get(item.item_uid))
    .filter((row): row is ItemRow => row !== undefined);
  if (known.some((row) => row.deleted)) permit(ctx, { do: 'remove' });
  await view.items.create([...uids]);
  const added = uids.size - known.length;
  if (added > 0 && view.stored.itemRows + added > MAX_ITEMS)
    refuse(
      details,
      write.itemPath(items.length - 1),
      'too_many_items',
      `A case holds at most ${MAX_ITEMS} items.`,
    );
  if (details.length > 0) return { items_created: 0, items_updated: 0 };
  const next =
    added > 0 && items.some((item) => item.position === undefined)
      ? await positionAfterLast(ctx, view)
      : 0;
  return draftEach(view, gesture, items, next);
}

async function draftEach(
  view: CaseView,
  gesture: Gesture,
  items: readonly ItemInput[],
  firstPosition: number,
): Promise<{ items_created: number; items_updated: number }> {
  const counts = { items_created: 0, items_updated: 0 };
  const contestable: string[] = [];
  let position = firstPosition;
  const pace = new Pace();
  for (const input of items) {
    const row = view.items.get(input.item_uid) as ItemRow;
    const isCreated = row.isNew || row.deleted;
    const before = gesture.texts.length;
    const set = (field: ItemField, value: unknown, text: string): void => {
      const head = row.heads[field];
      if (head !== undefined) contestable.push(`item/${field}/${row.uid}`);
      gesture.entry(
        view.items.slot(row, field),
        head === undefined ? null : view.stream.changes.nameOf({ seq: head[0], index: head[1] }),
        text,
        value,
      );
    };
    if (isCreated) set('x', { deleted: false }, '{"deleted":false}');
    if (input.item_type !== undefined && (row.isNew || input.item_type !== row.itemType))
      set('item_type', input.item_type, jsonString(input.item_type));
    if (input.label !== undefined && (row.isNew || input.label !== row.label))
      set('label', input.label, jsonString(input.label));
    if (input.metadata !== undefined) {
      const text = canonicalJson(input.metadata);
      if (row.isNew || text !== row.metadata) set('metadata', input.metadata, text);
    }
    const place = input.position ?? (row.isNew ? position++ : row.position);
    if (row.isNew || place !== row.position) set('position', place, canonicalJson(place));
    if (isCreated) counts.items_created += 1;
    else if (gesture.texts.length > before) counts.items_updated += 1;
    if (pace.due(2)) await pause();
  }
  await view.heads.load(contestable);
  return counts;
}

/** One after the last row of the case, deleted ones left out. */
async function positionAfterLast(ctx: WriteContext, view: CaseView): Promise<number> {
  const last = await ctx.session.db
    .selectFrom('items')
    .select('position')
    .where('case_pk', '=', view.stored.pk)
    .where('deleted', '=', 0)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last === undefined
    ? 0
    : Math.min(Math.floor(last.position) + 1, Number.MAX_SAFE_INTEGER - MAX_ITEMS);
}

async function draftOutcomes(
  view: CaseView,
  gesture: Gesture,
  write: EvidenceWrite,
  profile: StoredProfile,
  { rules, cells }: Awaited<ReturnType<typeof readAhead>>,
  details: ErrorDetail[],
): Promise<Drafted[]> {
  const { outcomes } = write;
  const rows: ItemRow[] = [];
  const columnOf: number[] = [];
  const fresh = new Set(write.items.map((item) => item.item_uid));
  const columns = new Map(profile.rules.map((uid) => [uid, rules.get(uid) as number]));
  outcomes.forEach((outcome, index) => {
    const row = view.items.get(outcome.item_uid);
    const rule = columns.get(outcome.rule_uid);
    if (row === undefined || (row.deleted && !fresh.has(row.uid)))
      refuse(
        details,
        `${write.outcomePath(index)}/item_uid`,
        'unknown_item',
        'The item is neither in the case nor in this request.',
      );
    else if (rule === undefined)
      refuse(
        details,
        `${write.outcomePath(index)}/rule_uid`,
        'unknown_rule',
        'The rule is not part of the profile.',
      );
    else {
      rows.push(row);
      columnOf.push(rule);
    }
  });
  if (details.length > 0 || cells === undefined) return [];
  const { profileUid, version } = profile.document;
  const drafter = new OutcomeDrafter(view, gesture, profileUid, version);
  const pace = new Pace();
  const drafted: Drafted[] = [];
  for (let index = 0; index < outcomes.length; index += 1) {
    const row = rows[index] as ItemRow;
    const cell = cells.getOrCreate(row.pk, columnOf[index] as number);
    if (cell.seen)
      refuse(
        details,
        write.outcomePath(index),
        'duplicate_outcome',
        'The item and rule are in this request already.',
      );
    cell.seen = true;
    const outcome = outcomes[index] as OutcomeInput;
    const status = !isAsShown(cell, outcome.if_revision)
      ? 'skipped'
      : drafter.draft(outcome, row, cell)
        ? 'written'
        : 'unchanged';
    drafted.push({ cell, status });
    if (pace.due()) await pause();
  }
  await view.heads.load(drafter.contested);
  return drafted;
}
