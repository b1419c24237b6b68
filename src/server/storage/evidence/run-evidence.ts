import type { ContestedCell, RecordedCell } from '../../../shared/domain/run.ts';
import type { StoredCase } from '../records/cases.ts';
import { RAW } from '../log/cell-map.ts';
import { ChangeIndex, type EntryPosition } from '../log/change-index.ts';
import type { ReadContext } from '../db/context.ts';
import { columnsByRule } from './evidence-read.ts';
import { yieldToEventLoop } from '../db/event-loop.ts';
import { type RecordedHead, RecorderCollector } from '../runs/run-recorders.ts';
import type { StoredProfile } from '../db/stored-profile.ts';
import { type Disputed, contestedCells } from './contested-cells.ts';

const ROWS_AT_ONCE = 5_000;

type EvidenceTuple = [
  item: number,
  rule: number,
  raw: number,
  source: string | null,
  provenance: string | null,
  notes: string | null,
  contested: number,
  headSeq: number | null,
  headIndex: number | null,
  notesSeq: number | null,
  notesIndex: number | null,
  restores: string | null,
];

/**
 * The cells of items x rules: one number for each recorded cell, and the few details in maps. Half
 * a million objects would take more memory than everything else about a run.
 */
class Cells implements Iterable<RecordedCell> {
  readonly #items: readonly { item_uid: string }[];
  readonly #rules: readonly string[];
  /** For each recorded cell: its row-major index times the number of outcomes, plus its outcome. */
  readonly #outcomes: number[] = [];
  readonly #details = new Map<
    number,
    Pick<RecordedCell, 'source_value' | 'notes' | 'provenance'>
  >();

  constructor(items: readonly { item_uid: string }[], rules: readonly string[]) {
    this.#items = items;
    this.#rules = rules;
  }

  add(
    item: number,
    rule: number,
    raw: number,
    source_value: string | null,
    notes: string | null,
    provenance: string | null,
  ): void {
    const place = item * this.#rules.length + rule;
    this.#outcomes.push(place * RAW.length + raw);
    if (source_value !== null || notes !== null || provenance !== null)
      this.#details.set(place, {
        source_value,
        notes,
        provenance: provenance === null ? null : (JSON.parse(provenance) as string),
      });
  }

  *[Symbol.iterator](): Generator<RecordedCell> {
    for (const outcome of this.#outcomes) {
      const place = Math.floor(outcome / RAW.length);
      const { item_uid } = this.#items[Math.floor(place / this.#rules.length)] as {
        item_uid: string;
      };
      yield {
        item_uid,
        rule_uid: this.#rules[place % this.#rules.length] as string,
        raw_outcome: RAW[outcome % RAW.length] ?? null,
        ...this.#details.get(place),
      };
    }
  }
}

export interface RunEvidence {
  items: {
    item_uid: string;
    item_type: string;
    label: string;
    metadata: Record<string, never>;
    position: number;
  }[];
  cells: Iterable<RecordedCell>;
  contested: ContestedCell[];
  recorders: RecorderCollector;
}

/** All rows of a case that are not deleted, in the order of their numbers; and where each is. */
async function readItems(
  { session }: ReadContext,
  casePk: number,
): Promise<{ items: RunEvidence['items']; rowOf: Map<number, number> }> {
  const rowOf = new Map<number, number>();
  const items: RunEvidence['items'] = [];
  for (let after = 0; ;) {
    const query = session.db
      .selectFrom('items')
      .select(['item_pk', 'item_uid', 'item_type', 'label', 'metadata', 'position'])
      .where('account', '=', session.account)
      .where('case_pk', '=', casePk)
      .where('deleted', '=', 0)
      .where('item_pk', '>', after)
      .orderBy('item_pk')
      .limit(ROWS_AT_ONCE);
    const rows = await session.rows<[number, string, string, string, string, number]>(query);
    for (const [pk, item_uid, item_type, label, metadata, position] of rows) {
      rowOf.set(pk, items.length);
      items.push({
        item_uid,
        item_type,
        label,
        metadata: JSON.parse(metadata) as Record<string, never>,
        position,
      });
    }
    if (rows.length < ROWS_AT_ONCE) return { items, rowOf };
    after = rows.at(-1)?.[0] ?? after;
    await yieldToEventLoop();
  }
}

function readCells(
  { session }: ReadContext,
  matrix: number,
  items: readonly number[],
): Promise<EvidenceTuple[]> {
  const query = session.db
    .selectFrom('cells')
    .select([
      'item_pk',
      'rule_pk',
      'raw',
      'source_value',
      'provenance',
      'notes',
      'contested',
      'head_seq',
      'head_index',
      'notes_seq',
      'notes_index',
      'restores',
    ])
    .where('account', '=', session.account)
    .where('matrix_pk', '=', matrix)
    .where(session.inList('item_pk', items));
  return session.rows<EvidenceTuple>(query);
}

/** All evidence of a case under the rules of a profile. */
export async function readEvidence(
  ctx: ReadContext,
  stored: StoredCase,
  matrix: number | undefined,
  { document, rules }: Pick<StoredProfile, 'document' | 'rules'>,
): Promise<RunEvidence> {
  const { items, rowOf } = await readItems(ctx, stored.pk);
  const cells = new Cells(items, rules);
  const disputed: Disputed[] = [];
  const changes = new ChangeIndex(ctx.session, stored.streamPk);
  const recorders = new RecorderCollector(
    changes,
    matrix === undefined ? 0 : items.length * rules.length,
  );
  if (matrix === undefined) return { items, cells, contested: [], recorders };
  const columns = await columnsByRule(ctx, rules);
  const pks = [...rowOf.keys()];
  const step = Math.max(1, Math.floor(ROWS_AT_ONCE / rules.length));
  for (let start = 0; start < pks.length; start += step) {
    const recorded: RecordedHead[] = [];
    for (const cell of await readCells(ctx, matrix, pks.slice(start, start + step))) {
      const [item, rule, raw, source_value, provenance, notes, bits, ...heads] = cell;
      const [headSeq, headIndex, notesSeq, notesIndex, restores] = heads;
      const column = columns.get(rule);
      if (column === undefined) continue;
      const row = rowOf.get(item) as number;
      cells.add(row, column, raw, source_value, notes, provenance);
      if (raw !== 0)
        recorded.push({ place: row * rules.length + column, headSeq, headIndex, restores });
      if (bits !== 0)
        disputed.push({
          address: { item_uid: items[row]?.item_uid as string, rule_uid: rules[column] as string },
          bits,
          head: headRef(headSeq, headIndex),
          notes: headRef(notesSeq, notesIndex),
        });
    }
    await recorders.add(recorded);
    await yieldToEventLoop();
  }
  const profile = `${document.profileUid}@${document.version}`;
  return {
    items,
    cells,
    contested: await contestedCells(ctx, changes, stored.streamPk, disputed, profile),
    recorders,
  };
}

function headRef(seq: number | null, index: number | null): EntryPosition | null {
  return seq === null ? null : { seq, index: index as number };
}
