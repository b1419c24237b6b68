import { type CaseUid, known } from '../../../shared/contract/ids.ts';
import type { Reverted, RevertInput, RevertReceipt } from '../../../shared/contract/v1/reverts.ts';
import { type Change, type Entry, entryName, parseEntryName } from '../../../sync/change.ts';
import { parseRegister, type Register } from '../../../sync/register.ts';
import type { Actor } from '../db/actor.ts';
import { CaseApplier } from '../records/case-applier.ts';
import { placeOf } from '../log/case-steps.ts';
import { CaseView } from '../records/case-view.ts';
import { needCase } from '../records/cases.ts';
import type { ChangeIndex, EntryPosition } from '../log/change-index.ts';
import type { WriteContext } from '../db/context.ts';
import { Gesture } from '../log/gesture.ts';
import { openStream, type Stream } from '../log/change-log.ts';
import { WorkCounter, yieldToEventLoop } from '../db/event-loop.ts';
import { pipelined } from '../db/session.ts';
import { StoreError } from '../db/errors.ts';
import { place } from './place-entries.ts';
import {
  backsOf,
  mayGoBack,
  type RegisterBefore,
  type TouchedRegister,
  writeBack,
} from './write-back.ts';

/** Most entries that one request reads; it reads at least one change. */
const MAX_ENTRIES = 20_000;

interface RevertTarget {
  seq: number;
  id: string;
}

/**
 * The changes that are meant, newest first. Throws insufficient_scope where an agent names another
 * one's.
 */
async function targetsOf(
  ctx: WriteContext,
  stream: Stream,
  actor: Actor,
  { changes, key_id, since }: RevertInput,
): Promise<RevertTarget[]> {
  const { db } = ctx.session;
  const query = db
    .selectFrom('changes')
    .select(['seq', 'change_id as id', 'key_id', 'author_kind'])
    .where('account', '=', ctx.session.account)
    .where('stream_pk', '=', stream.pk)
    .orderBy('seq', 'desc');
  if (changes === undefined) {
    if (actor.kind === 'agent' && key_id !== actor.key_id)
      throw new StoreError('insufficient_scope', 'An agent takes back what its own key wrote.');
    return query
      .where('author_kind', '=', 'agent')
      .where('key_id', '=', known.keyId.parse(key_id))
      .where('received_at', '>=', since as string)
      .execute();
  }
  const found = await query.where(ctx.session.inList('change_id', [...new Set(changes)])).execute();
  const stored = new Set(found.map(({ id }) => id));
  const missing = changes.flatMap((id, index) =>
    stored.has(id)
      ? []
      : [
          {
            path: `/changes/${index}`,
            code: 'unknown_change',
            message: 'The log of the case holds no such change.',
          },
        ],
  );
  if (missing.length > 0)
    throw new StoreError(
      'validation_failed',
      'Some changes are not in the log of the case; nothing was taken back.',
      missing,
    );
  if (
    actor.kind === 'agent' &&
    found.some((row) => row.author_kind !== 'agent' || row.key_id !== actor.key_id)
  )
    throw new StoreError('insufficient_scope', 'An agent takes back what its own key wrote.');
  return found;
}

/** Splits off the changes that fit one request, and reads what they say. */
async function readTargets(
  changes: ChangeIndex,
  targets: readonly RevertTarget[],
): Promise<{ taken: RevertTarget[]; left: RevertTarget[] }> {
  let entries = 0;
  for (const [index, { seq }] of targets.entries()) {
    if (index % 50 === 0)
      await changes.loadContents(targets.slice(index, index + 50).map((target) => target.seq));
    entries += (await changes.contentOf(seq)).entries.length;
    if (index > 0 && entries > MAX_ENTRIES)
      return { taken: targets.slice(0, index), left: targets.slice(index) };
  }
  return { taken: [...targets], left: [] };
}

/** Opens the registers that these changes wrote, each once. */
async function openTouched(
  ctx: WriteContext,
  view: CaseView,
  taken: readonly RevertTarget[],
): Promise<{ touched: TouchedRegister[]; others: string[] }> {
  const applier = new CaseApplier(ctx, view);
  const found = new Map<string, Register>();
  const others = new Set<string>();
  const validated = [];
  for (const { seq, id } of taken) {
    const { entries, quarantined } = await view.stream.changes.contentOf(seq);
    const registers = entries.map((entry, index) => {
      const register = quarantined.includes(index) ? undefined : parseRegister(entry.reg);
      const isTaken = register !== undefined && mayGoBack(register);
      if (register !== undefined && !isTaken) others.add(entry.reg);
      return isTaken ? register : undefined;
    });
    registers.forEach(
      (register, index) => register && found.set((entries[index] as Entry).reg, register),
    );
    validated.push({
      id,
      text: '',
      change: { entries } as Change,
      registers,
      quarantined: [...quarantined],
    });
    await yieldToEventLoop();
  }
  await applier.prepare(validated);
  const touched = [...found].flatMap(([reg, register]) => {
    const binding = applier.binding(register, reg);
    return binding === undefined ? [] : [{ reg, register, binding }];
  });
  return { touched, others: [...others] };
}

/**
 * For each register whose displayed entry is one of the targets, its value before them: that of the
 * first ancestor that is none of them. There is none behind a settlement, or where a parent is
 * missing. All registers go back together, a step at a time, so that what they cite is read
 * together.
 */
async function wayBack(
  changes: ChangeIndex,
  heads: ReadonlyMap<string, EntryPosition>,
  targets: ReadonlySet<number>,
): Promise<Map<string, RegisterBefore>> {
  const found = new Map<string, RegisterBefore>();
  let going = [...heads];
  const work = new WorkCounter();
  while (going.length > 0) {
    const parents: [reg: string, name: string][] = [];
    for (const [reg, head] of going) {
      const {
        op,
        parents: [parent],
      } = await changes.entryAt(head);
      if (op === 'set' && parent === undefined) found.set(reg, null);
      else if (op === 'set' && parent !== undefined) parents.push([reg, parent]);
      if (work.due()) await yieldToEventLoop();
    }
    const parts = parents.flatMap(([reg, name]) => {
      const parsed = parseEntryName(name);
      return parsed === undefined ? [] : [{ reg, ...parsed }];
    });
    await changes.loadIds(parts.map(({ id }) => id));
    await changes.loadContents(parts.flatMap(({ id }) => changes.byId(id)?.seq ?? []));
    going = [];
    for (const { reg, id, index } of parts) {
      const seq = changes.byId(id)?.seq;
      const content = seq === undefined ? undefined : await changes.contentOf(seq);
      const entry = content?.entries[index];
      if (seq === undefined || entry?.reg !== reg || content?.quarantined.includes(index) === true)
        continue;
      if (targets.has(seq)) going.push([reg, { seq, index }]);
      else found.set(reg, { value: entry.value, name: entryName(id, index), from: entry.from });
    }
  }
  return found;
}

function answer(reg: string, status: Reverted['status']): Reverted {
  const { field, item_uid, rule_uid, profile_uid, profile_version } = placeOf(reg);
  return { field, item_uid, rule_uid, profile_uid, profile_version, status };
}

/**
 * Takes back changes where they are still displayed (Y16), in one transaction that cites them. What
 * came later stays, and so do contested values. Throws insufficient_scope where an agent names what
 * its key did not write.
 */
export async function revert(
  ctx: WriteContext,
  actor: Actor,
  caseUid: CaseUid,
  input: RevertInput,
): Promise<RevertReceipt> {
  const [stream, stored] = await pipelined(
    openStream(ctx, actor.account_id, caseUid),
    needCase(ctx, actor.account_id, caseUid),
  );
  const targets = await targetsOf(ctx, stream, actor, input);
  const { taken, left } = await readTargets(stream.changes, targets);
  const view = new CaseView(ctx, stream, stored);
  const { touched, others } = await openTouched(ctx, view, taken);
  const meant = new Set(targets.map(({ seq }) => seq));
  const single = (one: TouchedRegister): boolean => view.heads.conflicting(one.reg).length === 0;
  const current = touched.filter(
    (one) => single(one) && one.binding.head !== null && meant.has(one.binding.head.seq),
  );
  await stream.changes.loadContents(
    current.map(({ binding }) => (binding.head as EntryPosition).seq),
  );
  const before = await wayBack(
    stream.changes,
    new Map(current.map(({ reg, binding }) => [reg, binding.head as EntryPosition])),
    meant,
  );
  const gesture = new Gesture();
  const shown = new Set(current);
  const backs = backsOf(current, before, actor);
  writeBack(stream.changes, gesture, backs);
  const unchanged = (one: TouchedRegister): Reverted['status'] => {
    if (shown.has(one)) return 'kept';
    return single(one) ? 'written_since' : 'contested';
  };
  const entries = [
    ...others.map((reg) => answer(reg, 'kept')),
    ...touched.map((one) => answer(one.reg, backs.has(one.reg) ? 'reverted' : unchanged(one))),
  ];
  const changes =
    gesture.texts.length === 0 ? [] : await place(ctx, view, gesture, actor, input.reason);
  return {
    case_uid: caseUid,
    changes,
    reverted: gesture.texts.length,
    entries,
    left: left.map(({ id }) => id),
  };
}
