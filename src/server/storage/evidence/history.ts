import type { AccountId } from '../../../shared/contract/ids.ts';
import type { HistoryStep } from '../../../shared/contract/v1/evidence.ts';
import { entryName, parseEntryName } from '../../../sync/change.ts';
import { columnPrefix } from '../../../sync/register.ts';
import { profileForCase } from '../records/case-profile.ts';
import { needAnyCase } from '../records/cases.ts';
import { ChangeIndex, type EntryPosition } from '../log/change-index.ts';
import type { ReadContext } from '../db/context.ts';
import { readCursor, writeCursor, type Listed, type Page } from '../db/cursor.ts';
import { conflictingHeads } from '../log/conflicting-heads.ts';
import { findMatrix } from '../records/matrices.ts';
import type { MatrixQuery } from '../db/matrix-query.ts';
import { yieldToEventLoop } from '../db/event-loop.ts';
import { receiptOf } from '../log/received.ts';
import { attributionOf } from '../log/recorded-by.ts';
import { hiddenCells } from '../rounds/hidden-cells.ts';
import { namedCells } from './evidence-read.ts';

type HistoryField = HistoryStep['field'];
interface FoundHead extends EntryPosition {
  field: HistoryField;
  current: boolean;
}

/**
 * Entries that can be reached from `heads` through their parents. Those are all entries that were
 * ever applied to the register, since every superseded entry is named by a later one.
 */
async function walk(
  changes: ChangeIndex,
  reg: string,
  heads: readonly EntryPosition[],
  field: HistoryField,
): Promise<FoundHead[]> {
  const found = new Map<string, FoundHead>();
  let frontier = heads.map((head) => ({ ...head, field, current: true }));
  while (frontier.length > 0) {
    const next: FoundHead[] = [];
    for (const step of frontier) {
      const key = `${step.seq}#${step.index}`;
      if (found.has(key)) continue;
      found.set(key, step);
      const { parents } = await changes.entryAt(step);
      await changes.loadIds(parents.flatMap((name) => parseEntryName(name)?.id ?? []));
      for (const name of parents) {
        const parts = parseEntryName(name);
        const info = parts && changes.byId(parts.id);
        if (parts === undefined || info === undefined) continue;
        const { entries, quarantined } = await changes.contentOf(info.seq);
        if (entries[parts.index]?.reg === reg && !quarantined.includes(parts.index))
          next.push({ seq: info.seq, index: parts.index, field, current: false });
      }
      if (found.size % 50 === 0) await yieldToEventLoop();
    }
    frontier = next;
  }
  return [...found.values()];
}

async function toStep(
  ctx: ReadContext,
  changes: ChangeIndex,
  stream: number,
  found: FoundHead,
): Promise<HistoryStep> {
  const row = await ctx.session.db
    .selectFrom('changes')
    .leftJoin('users', 'users.user_id', 'changes.actor')
    .select([
      'change_id',
      'wall',
      'received_at',
      'author',
      'author_kind',
      'key_id',
      'why',
      'relayed',
      'actor',
      'sent_by',
      'users.name as sender',
    ])
    .where('account', '=', ctx.session.account)
    .where('stream_pk', '=', stream)
    .where('seq', '=', found.seq)
    .executeTakeFirstOrThrow();
  const entry = await changes.entryAt(found);
  let old: unknown = null;
  for (const name of entry.parents) {
    const parts = parseEntryName(name);
    const info = parts && changes.byId(parts.id);
    if (parts === undefined || info === undefined) continue;
    const parent = (await changes.contentOf(info.seq)).entries[parts.index];
    // A resolve has several parents, each of which is a step of its own; the first of them is shown
    // as what its author saw.
    if (parent?.reg === entry.reg) {
      old = parent.value;
      break;
    }
  }
  const name = entryName(row.change_id, found.index);
  const own = { author: row.author, authorKind: row.author_kind, keyId: row.key_id };
  return {
    entry: name,
    ...receiptOf(row),
    by: row.author,
    kind: row.author_kind as HistoryStep['kind'],
    key_id: row.key_id,
    reason: row.why,
    ...(await attributionOf(changes, own, entry, name)),
    field: found.field,
    old: old as HistoryStep['old'],
    new: entry.value as HistoryStep['new'],
    current: found.current,
  };
}

/** The displayed heads of a cell, by number and index; undefined where it was never written. */
async function headsOfCell(
  ctx: ReadContext,
  casePk: number,
  matrix: number,
  { item_uid, rule_uid }: { item_uid: string; rule_uid: string },
) {
  return namedCells(ctx)
    .select(['head_seq', 'head_index', 'notes_seq', 'notes_index'])
    .where('cells.account', '=', ctx.session.account)
    .where('matrix_pk', '=', matrix)
    .where('case_pk', '=', casePk)
    .where('item_uid', '=', item_uid)
    .where('rule_uid', '=', rule_uid)
    .executeTakeFirst();
}

/** Every entry that was applied to one of the two registers of a cell. */
async function entriesOfRegister(
  ctx: ReadContext,
  changes: ChangeIndex,
  stream: number,
  reg: string,
  [seq, index]: readonly [seq: number | null, index: number | null],
  field: HistoryField,
): Promise<FoundHead[]> {
  if (seq === null || index === null) return [];
  const others = (await conflictingHeads(ctx, stream, [reg])).get(reg) ?? [];
  return walk(changes, reg, [{ seq, index }, ...others], field);
}

/**
 * The history of one cell, newest first. It has no index of its own: it follows the parents from
 * entry to entry.
 */
export async function cellHistory(
  ctx: ReadContext,
  account: AccountId,
  query: MatrixQuery & { item_uid: string; rule_uid: string },
  page: Page,
): Promise<Listed<HistoryStep>> {
  const after =
    page.cursor === undefined
      ? undefined
      : (readCursor('history', ['whole', 'whole'], page.cursor) as [number, number]);
  const stored = await needAnyCase(ctx, account, query.case_uid);
  const { pk, streamPk } = stored;
  const {
    profile: { document },
  } = await profileForCase(ctx, account, stored, query.profile_uid, query.profile_version);
  const { profileUid, version } = document;
  const matrix = await findMatrix(ctx, pk, profileUid, version);
  const cell = matrix === undefined ? undefined : await headsOfCell(ctx, pk, matrix, query);
  const { item_uid: item, rule_uid: rule } = query;
  const hidden = await hiddenCells(ctx, account, stored.record.case_uid);
  if (cell === undefined || hidden?.hides({ profile: profileUid, version, rule, item }))
    return { data: [], next_cursor: null };
  const changes = new ChangeIndex(ctx.session, streamPk);
  const regOf = (kind: 'assertion' | 'notes'): string =>
    columnPrefix(kind, profileUid, version, query.rule_uid) + query.item_uid;
  const { head_seq, head_index, notes_seq, notes_index } = cell;
  const assertion = [head_seq, head_index] as const;
  const notes = [notes_seq, notes_index] as const;
  const steps = [
    ...(await entriesOfRegister(ctx, changes, streamPk, regOf('assertion'), assertion, 'outcome')),
    ...(await entriesOfRegister(ctx, changes, streamPk, regOf('notes'), notes, 'notes')),
  ];
  steps.sort((a, b) => b.seq - a.seq || b.index - a.index);
  const rest =
    after === undefined
      ? steps
      : steps.filter(({ seq, index }) => seq < after[0] || (seq === after[0] && index < after[1]));
  const shown = rest.slice(0, page.limit);
  const data: HistoryStep[] = [];
  for (const step of shown) data.push(await toStep(ctx, changes, streamPk, step));
  const last = shown.at(-1);
  return {
    data,
    next_cursor:
      rest.length > shown.length && last !== undefined
        ? writeCursor('history', [last.seq, last.index])
        : null,
  };
}
