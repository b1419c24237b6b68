import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { LongText } from '../../../shared/contract/common.ts';
import type { Entry } from '../../../sync/change.ts';
import { Assertion } from '../../../sync/assertion.ts';
import { stateOf, UNRECORDED } from '../../../shared/domain/outcome.ts';
import { type EntrySource, jsonBytes } from '../replica/transaction.ts';
import type { CellDetail, CellPatch } from '../store/port.ts';
import type { ReplicaState } from '../replica/replica-state.ts';
import { headOfKey } from '../replica/roots.ts';
import { type UndoStep, WROTE_ASSERTION, WROTE_NOTES } from '../replica/undo-steps.ts';
import { tOf } from '../../text/t.ts';

/** A value that no server would accept, refused before anything is written. */
export class InvalidPatchError extends Error {
  override name = 'InvalidPatchError';
}

function assertionValue(code: number, detail: CellDetail): Assertion {
  const value: Assertion = { raw_outcome: stateOf(code) };
  if (detail.provenance !== null && detail.provenance !== undefined)
    value.provenance = detail.provenance as NonNullable<Assertion['provenance']>;
  if (detail.source_value !== null) value.source_value = detail.source_value;
  return value;
}
const same = (a: unknown, b: unknown): boolean =>
  a === b || canonicalJson(a ?? null) === canonicalJson(b ?? null);
const bare = ({ source_value, notes, provenance }: CellDetail): CellDetail => ({
  source_value,
  notes,
  provenance,
});

/**
 * What a patch leaves in a cell. Another outcome is another assertion: the source and provenance of
 * the one before do not prove it. Notes stay.
 */
export function detailAfter(
  before: CellDetail,
  wish: CellPatch,
  isSameOutcome: boolean,
): CellDetail {
  const {
    source_value = isSameOutcome ? before.source_value : null,
    provenance = isSameOutcome ? before.provenance : null,
    notes = before.notes,
  } = wish;
  return { source_value, notes, provenance };
}

/**
 * Upper bounds in bytes: of an entry without its names and its value, and of a value that is a bare
 * outcome.
 */
const ENTRY_BYTES = 130;
const OUTCOME_BYTES = 24;
const RESTORES_BYTES = 68;
/** Of a name in the list of those that an outcome comes from. */
const NAME_BYTES = 60;

/** Up to this many cells, a Set takes less memory than one byte for each cell of the matrix. */
const FEW = 4_096;

interface WantOptions {
  /** The heads whose values are brought back, as numbers. */
  restores?: { assertion: number; notes: number };
  from?: readonly string[] | undefined;
  /** The outcome is written also where the cell shows it already. */
  isWritten?: boolean;
}

export interface CellPlanOptions {
  /** An upper bound for the number of cells that will be planned. */
  capacity: number;
  /** Number of items, including those that the same command adds. */
  items?: number;
  /** The plan of an undo or redo. */
  restoring?: boolean;
}

/**
 * The cells that one command changes: for each, the new value, and the heads that were displayed
 * when the command began. Kept in typed arrays, because a command may change a million cells.
 */
export class CellPlan implements EntrySource {
  readonly #state: ReplicaState;
  readonly #seen: Uint8Array | Set<number>;
  readonly #cells: Uint32Array;
  readonly #wrote: Uint8Array;
  readonly #before: Uint8Array;
  readonly #after: Uint8Array;
  readonly #details = new Map<number, { before: CellDetail; after: CellDetail }>();
  /** Entries that an outcome comes from. */
  readonly #from = new Map<number, readonly string[]>();
  /**
   * One element for each entry to be written: the cell's index in this plan times two, plus one if
   * the entry is for its notes. The two arrays below hold the head that the entry cites.
   */
  readonly #entries: Uint32Array;
  readonly #parentRef: Uint32Array;
  readonly #parentIndex: Uint16Array;
  /**
   * For an undo or redo, by entry: the head whose value it brings back, as one number; 0 is none.
   */
  readonly #restores: Float64Array | null;
  readonly #itemBytes = new Map<number, number>();
  /** Number of cells that would change. `count` is the number of entries. */
  length = 0;
  count = 0;

  constructor(
    state: ReplicaState,
    { capacity, items = state.items.length, restoring = false }: CellPlanOptions,
  ) {
    this.#state = state;
    this.#seen = capacity > FEW ? new Uint8Array(items * state.store.columns) : new Set();
    this.#cells = new Uint32Array(capacity);
    this.#wrote = new Uint8Array(capacity);
    this.#before = new Uint8Array(capacity);
    this.#after = new Uint8Array(capacity);
    this.#entries = new Uint32Array(capacity * 2);
    this.#parentRef = new Uint32Array(capacity * 2);
    this.#parentIndex = new Uint16Array(capacity * 2);
    this.#restores = restoring ? new Float64Array(capacity * 2) : null;
  }

  get cells(): Uint32Array {
    return this.#cells.subarray(0, this.length);
  }

  /** Whether the command has named the cell before: the first value for a cell counts. */
  #isSeen(cell: number): boolean {
    const seen = this.#seen;
    if (seen instanceof Set) return seen.size === seen.add(cell).size;
    if (seen[cell] === 1) return true;
    seen[cell] = 1;
    return false;
  }

  /** Plans this outcome for a cell. Cells that have it already are left out. */
  wantOutcome(cell: number, code: number, restores = 0): void {
    if (this.#isSeen(cell)) return;
    const { store, details } = this.#state;
    const was = store.raw[cell] ?? UNRECORDED;
    if (was === code) return;
    const old = details.size === 0 ? undefined : details.get(cell);
    if (old !== undefined)
      this.#details.set(this.length, { before: bare(old), after: detailAfter(old, {}, false) });
    this.#add(cell, was, code, WROTE_ASSERTION);
    this.#entry(0, store.ref[cell] ?? 0, store.index[cell] ?? 0, restores);
  }

  /** Plans this outcome and these details for a cell. */
  want(
    cell: number,
    code: number,
    detail: CellDetail,
    { restores = { assertion: 0, notes: 0 }, from, isWritten = false }: WantOptions = {},
  ): void {
    if (this.#isSeen(cell)) return;
    const state = this.#state;
    const old = state.detail(cell);
    const was = state.store.raw[cell] ?? UNRECORDED;
    const assertion =
      isWritten ||
      from !== undefined ||
      was !== code ||
      old.source_value !== detail.source_value ||
      !same(old.provenance, detail.provenance);
    const notes = old.notes !== detail.notes;
    if (!assertion && !notes) return;
    check(code, detail);
    this.#details.set(this.length, { before: bare(old), after: bare(detail) });
    if (from !== undefined) this.#from.set(this.length, from);
    this.#add(cell, was, code, (assertion ? WROTE_ASSERTION : 0) | (notes ? WROTE_NOTES : 0));
    if (assertion)
      this.#entry(0, state.store.ref[cell] ?? 0, state.store.index[cell] ?? 0, restores.assertion);
    if (notes)
      this.#entry(1, ...(state.head({ kind: 'notes', cell }) ?? ([0, 0] as const)), restores.notes);
  }
  #add(cell: number, before: number, after: number, wrote: number): void {
    const at = this.length;
    this.#cells[at] = cell;
    this.#before[at] = before;
    this.#after[at] = after;
    this.#wrote[at] = wrote;
    this.length += 1;
  }
  #entry(notes: 0 | 1, ref: number, index: number, restores: number): void {
    const { count } = this;
    this.#entries[count] = (this.length - 1) * 2 + notes;
    this.#parentRef[count] = ref;
    this.#parentIndex[count] = index;
    if (this.#restores !== null) this.#restores[count] = restores;
    this.count += 1;
  }

  size(index: number): number {
    const entry = this.#entries[index]!;
    const at = entry >>> 1;
    const cell = this.#cells[at]!;
    const state = this.#state;
    const itemIndex = Math.floor(cell / state.store.columns);
    let item = this.#itemBytes.get(itemIndex);
    if (item === undefined)
      this.#itemBytes.set(itemIndex, (item = jsonBytes(state.items[itemIndex]?.item_uid ?? '')));
    const detail = this.#details.size === 0 ? undefined : this.#details.get(at)?.after;
    const value =
      detail === undefined
        ? OUTCOME_BYTES
        : (entry & 1) === 1
          ? jsonBytes(detail.notes ?? '')
          : 64 +
            jsonBytes(detail.source_value ?? '') +
            3 * canonicalJson(detail.provenance ?? null).length +
            (this.#from.get(at)?.length ?? 0) * NAME_BYTES;
    return (
      this.#entryBytes +
      item +
      state.profile.length +
      state.version.length +
      (state.rules[cell - itemIndex * state.store.columns]?.length ?? 0) +
      value
    );
  }
  get #entryBytes(): number {
    return ENTRY_BYTES + (this.#restores === null ? 0 : RESTORES_BYTES);
  }
  get widest(): number {
    if (this.#details.size > 0) return Infinity;
    const { items, store, rules, profile, version } = this.#state;
    let item = 0;
    for (let at = 0, last = -1; at < this.length; at += 1) {
      const itemIndex = Math.floor(this.#cells[at]! / store.columns);
      if (itemIndex !== last) item = Math.max(item, jsonBytes(items[itemIndex]?.item_uid ?? ''));
      last = itemIndex;
    }
    return (
      this.#entryBytes +
      item +
      profile.length +
      version.length +
      Math.max(0, ...rules.map((rule) => rule.length)) +
      OUTCOME_BYTES
    );
  }

  at(index: number): Entry {
    const entry = this.#entries[index]!;
    const at = entry >>> 1;
    const kind = (entry & 1) === 1 ? 'notes' : 'assertion';
    const detail = this.#details.get(at)?.after;
    const ref = this.#parentRef[index]!;
    const restored = headOfKey(this.#restores?.[index] ?? 0);
    const from = kind === 'assertion' ? this.#from.get(at) : undefined;
    return {
      op: 'set',
      parents: ref === 0 ? [] : [this.#state.headName([ref, this.#parentIndex[index]!])],
      reg: this.#state.address({ kind, cell: this.#cells[at]! }),
      value:
        kind === 'notes'
          ? (detail?.notes ?? null)
          : detail === undefined
            ? { raw_outcome: stateOf(this.#after[at]!) }
            : assertionValue(this.#after[at]!, detail),
      ...(restored === null ? {} : { restores: this.#state.headName(restored) }),
      ...(from === undefined ? {} : { from: [...from] }),
    };
  }

  /** The undo step's record of these cells, as far as it is known before they are shown. */
  record(step: UndoStep): void {
    const { length } = this;
    step.wrote = this.#wrote.slice(0, length);
    step.before = this.#before.slice(0, length);
    step.after = this.#after.slice(0, length);
    for (const [at, detail] of this.#details)
      step.details[at] = { ...detail, head: null, previous: null, root: null };
  }

  /**
   * Shows entries `from` to `to` on screen; they are the entries of change `ref` from index `place`
   * on. Notes their heads in the undo step.
   */
  show(from: number, to: number, ref: number, place: number, step: UndoStep): void {
    const state = this.#state;
    const candidates = state.conflicts.candidates();
    for (let index = from, entry = place; index < to; index += 1, entry += 1) {
      const at = this.#entries[index]! >>> 1;
      const cell = this.#cells[at]!;
      const detail = this.#details.size === 0 ? undefined : step.details[at];
      if ((this.#entries[index]! & 1) === 1) {
        this.#showNotes(index, cell, ref, entry, step);
        continue;
      }
      step.head.ref[at] = ref;
      step.head.entry[at] = entry;
      step.previous.ref[at] = this.#parentRef[index]!;
      step.previous.entry[at] = this.#parentIndex[index]!;
      const restored = headOfKey(this.#restores?.[index] ?? 0);
      if (restored !== null)
        state.changeIds.brought(ref, entry, state.changeIds.author(...restored));
      if (detail === undefined) state.setOutcome(cell, this.#after[at]!, ref, entry, candidates);
      else
        state.assign(
          { kind: 'assertion', cell },
          ref,
          entry,
          assertionValue(this.#after[at]!, detail.after),
        );
      if (candidates.has(cell)) state.conflicts.rank({ kind: 'assertion', cell });
    }
  }
  #showNotes(index: number, cell: number, ref: number, entry: number, step: UndoStep): void {
    const at = this.#entries[index]! >>> 1;
    const detail = step.details[at];
    this.#state.assign({ kind: 'notes', cell }, ref, entry, detail?.after.notes ?? null);
    this.#state.conflicts.rank({ kind: 'notes', cell });
    const previous = this.#parentRef[index]!;
    if (detail !== undefined)
      step.details[at] = {
        ...detail,
        head: [ref, entry],
        previous: previous === 0 ? null : [previous, this.#parentIndex[index]!],
      };
  }
}

function check(code: number, detail: CellDetail): void {
  const checked = Assertion.safeParse(assertionValue(code, detail));
  const notes = LongText.nullable().safeParse(detail.notes);
  const issue = checked.error?.issues[0] ?? notes.error?.issues[0];
  if (issue !== undefined)
    throw new InvalidPatchError(`${issue.path.join('.') || 'notes'}: ${tOf(issue.message)}`);
}
