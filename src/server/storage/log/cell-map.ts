import { compiledOnce } from '../db/compiled-once.ts';
import type { WriteContext } from '../db/context.ts';
import { yieldToEventLoop } from '../db/event-loop.ts';
import { type DatabaseSession, pipelined } from '../db/session.ts';
import type { Placeholders } from '../db/placeholder.ts';

/** Outcomes as stored, by number. */
export const RAW = [null, 'FALSE', 'TRUE', 'NA'] as const;
export const rawNumber = (raw: 'TRUE' | 'FALSE' | 'NA' | null): number =>
  raw === null ? 0 : raw === 'FALSE' ? 1 : raw === 'TRUE' ? 2 : 3;

/** Bits of `further` and `contested`. */
export const ASSERTION = 1;
export const NOTES = 2;

/** A cell's row while a transaction works on it. */
export interface CellRow {
  item: number;
  rule: number;
  raw: number;
  sourceValue: string | null;
  provenance: string | null;
  notes: string | null;
  headSeq: number | null;
  headIndex: number | null;
  notesSeq: number | null;
  notesIndex: number | null;
  revision: number;
  further: number;
  contested: number;
  /** The entry that first recorded the displayed outcome, where an undo brought it back. */
  restores: string | null;
  isNew: boolean;
  changed: boolean;
  /** Whether this request has named the cell before. */
  seen: boolean;
  /** `raw` as stored. */
  was: number;
}

type SelectedCell = [
  number,
  number,
  number,
  string | null,
  string | null,
  string | null,
  number | null,
  number | null,
  number | null,
  number | null,
  number,
  number,
  number,
  string | null,
];
const COLUMNS = [
  'item_pk',
  'rule_pk',
  'raw',
  'source_value',
  'provenance',
  'notes',
  'head_seq',
  'head_index',
  'notes_seq',
  'notes_index',
  'revision',
  'further',
  'contested',
  'restores',
] as const;

interface CellsAsked {
  account: number;
  matrix: number;
  items: readonly number[];
}
const wholeRows = (
  { db, inPlaceholder }: Pick<DatabaseSession, 'db' | 'inPlaceholder'>,
  { account, matrix, items }: Placeholders<CellsAsked>,
) =>
  db
    .selectFrom('cells')
    .select(COLUMNS)
    .where('account', '=', account)
    .where('matrix_pk', '=', matrix)
    .where(inPlaceholder('item_pk', items, 'number'));
const rowsQuery = compiledOnce(wholeRows);
const cellsQuery = compiledOnce(
  (parts, given: Placeholders<CellsAsked & { rules: readonly number[] }>) =>
    wholeRows(parts, given).where(parts.inPlaceholder('rule_pk', given.rules, 'number')),
);

/** Rows handed to one bulk insert. */
const AT_ONCE = 2_500;

/** The touched cells of one matrix. */
export class CellMap {
  readonly #ctx: WriteContext;
  readonly #matrix: number;
  /** By item, then by rule. */
  readonly #rows = new Map<number, Map<number, CellRow>>();
  readonly #cells: CellRow[] = [];

  constructor(ctx: WriteContext, matrix: number) {
    this.#ctx = ctx;
    this.#matrix = matrix;
  }

  /**
   * Reads the cells where these items and rules cross. With `dense`, nearly all of each row is
   * wanted, so whole rows are read.
   */
  async load(items: readonly number[], rules: readonly number[], dense: boolean): Promise<void> {
    const { session } = this.#ctx;
    const step = Math.max(1, Math.floor(2_500 / Math.max(1, rules.length)));
    const sorted = [...items].sort((a, b) => a - b);
    for (let start = 0; start < sorted.length; start += step) {
      const asked = {
        account: session.account,
        matrix: this.#matrix,
        items: sorted.slice(start, start + step),
      };
      const query = dense ? rowsQuery(session, asked) : cellsQuery(session, { ...asked, rules });
      for (const row of await session.rows<SelectedCell>(query)) this.#add(row);
      if (start + step < sorted.length) await yieldToEventLoop();
    }
  }

  #add(row: SelectedCell): void {
    const [
      item,
      rule,
      raw,
      sourceValue,
      provenance,
      notes,
      headSeq,
      headIndex,
      notesSeq,
      notesIndex,
      revision,
      further,
      contested,
      restores,
    ] = row;
    if (this.get(item, rule) !== undefined) return;
    this.#keep({
      item,
      rule,
      raw,
      sourceValue,
      provenance,
      notes,
      headSeq,
      headIndex,
      notesSeq,
      notesIndex,
      revision,
      further,
      contested,
      restores,
      isNew: false,
      changed: false,
      seen: false,
      was: raw,
    });
  }

  #keep(cell: CellRow): CellRow {
    let row = this.#rows.get(cell.item);
    if (row === undefined) this.#rows.set(cell.item, (row = new Map()));
    row.set(cell.rule, cell);
    this.#cells.push(cell);
    return cell;
  }

  get(item: number, rule: number): CellRow | undefined {
    return this.#rows.get(item)?.get(rule);
  }

  getOrCreate(item: number, rule: number): CellRow {
    return (
      this.get(item, rule) ??
      this.#keep({
        item,
        rule,
        raw: 0,
        sourceValue: null,
        provenance: null,
        notes: null,
        headSeq: null,
        headIndex: null,
        notesSeq: null,
        notesIndex: null,
        revision: 0,
        further: 0,
        contested: 0,
        restores: null,
        isNew: true,
        changed: false,
        seen: false,
        was: 0,
      })
    );
  }

  /** Whether a cell has changed. */
  isTouched(): boolean {
    return this.#cells.some(({ changed }) => changed);
  }

  *headSeqs(): Generator<number> {
    for (const { headSeq, notesSeq } of this.#cells) {
      if (headSeq !== null) yield headSeq;
      if (notesSeq !== null) yield notesSeq;
    }
  }

  /** Stores the touched cells and the counts by rule. */
  async flush(hidden: ReadonlySet<number>): Promise<void> {
    const fresh: CellRow[] = [];
    const known: CellRow[] = [];
    const tallies = new Map<number, [number, number, number, number]>();
    for (const cell of this.#cells) {
      if (!cell.changed) continue;
      (cell.isNew ? fresh : known).push(cell);
      cell.revision += 1;
      if (cell.raw === cell.was || hidden.has(cell.item)) continue;
      let tally = tallies.get(cell.rule);
      if (tally === undefined) tallies.set(cell.rule, (tally = [0, 0, 0, 0]));
      tally[cell.was] = (tally[cell.was] as number) - 1;
      tally[cell.raw] = (tally[cell.raw] as number) + 1;
    }
    // In key order, so that the pages of the B-tree are filled one after the other.
    fresh.sort((a, b) => a.item - b.item || a.rule - b.rule);
    await pipelined(
      this.#insert(fresh, undefined),
      this.#insert(known, [
        'raw',
        'source_value',
        'provenance',
        'notes',
        'head_seq',
        'head_index',
        'notes_seq',
        'notes_index',
        'revision',
        'further',
        'contested',
        'restores',
      ]),
      addTallies(
        this.#ctx,
        [...tallies].map(([rule, tally]) => ({ matrix: this.#matrix, rule, tally })),
      ),
    );
  }

  async #insert(cells: readonly CellRow[], update: readonly string[] | undefined): Promise<void> {
    for (let start = 0; start < cells.length; start += AT_ONCE) {
      if (start > 0) await yieldToEventLoop();
      const rows = cells
        .slice(start, start + AT_ONCE)
        .map((cell) => [
          this.#matrix,
          cell.item,
          cell.rule,
          cell.raw,
          cell.sourceValue,
          cell.provenance,
          cell.notes,
          cell.headSeq,
          cell.headIndex,
          cell.notesSeq,
          cell.notesIndex,
          cell.revision,
          cell.further,
          cell.contested,
          cell.restores,
        ]);
      await this.#ctx.session.insert(
        'cells',
        ['matrix_pk', ...COLUMNS],
        rows,
        update === undefined ? undefined : { target: ['matrix_pk', 'item_pk', 'rule_pk'], update },
      );
    }
  }
}

/** Adds to the counts of recorded outcomes by rule: `tally` is indexed by outcome number. */
export async function addTallies(
  ctx: WriteContext,
  changes: readonly { matrix: number; rule: number; tally: readonly number[] }[],
): Promise<void> {
  const counts = ['n_false', 'n_true', 'n_na'];
  const rows = changes.map(({ matrix, rule, tally: [, f = 0, t = 0, na = 0] }) => [
    matrix,
    rule,
    f,
    t,
    na,
  ]);
  await ctx.session.insert('tallies', ['matrix_pk', 'rule_pk', ...counts], rows, {
    target: ['matrix_pk', 'rule_pk'],
    update: [],
    add: counts,
  });
}
