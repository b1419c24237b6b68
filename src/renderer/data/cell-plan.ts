import { canonicalJson } from '../../shared/lib/canonical-json.ts';
import { LongText } from '../../shared/contract/common.ts';
import type { Entry } from '../../sync/change.ts';
import { Assertion } from '../../sync/status.ts';
import { type EntrySource, jsonBytes, type Piece } from './drafts.ts';
import { stateOf } from './matrix-store.ts';
import type { CellDetail } from './port.ts';
import type { AssertionValue, ReplicaState } from './replica-state.ts';
import { newStep, type Step, WROTE_ASSERTION, WROTE_NOTES } from './steps.ts';

/** A value that no server would apply: refused before anything is written. */
export class InvalidPatchError extends Error {
  override name = 'InvalidPatchError';
}

function assertionValue(code: number, detail: CellDetail): AssertionValue {
  const value: AssertionValue = { raw_outcome: stateOf(code) };
  if (detail.provenance !== null && detail.provenance !== undefined) value.provenance = detail.provenance;
  if (detail.source_value !== null) value.source_value = detail.source_value;
  return value;
}
const same = (a: unknown, b: unknown): boolean => a === b || canonicalJson(a ?? null) === canonicalJson(b ?? null);

/**
 * What one gesture wants of the cells: for each cell that would change, the value and the heads that were shown when it began. Columns of numbers,
 * because a gesture may be half a million cells.
 */
export class CellPlan implements EntrySource {
  readonly #state: ReplicaState;
  /** A byte a cell: a set of half a million numbers would cost more than everything else. */
  readonly #seen: Uint8Array;
  readonly cells: number[] = [];
  readonly wrote: number[] = [];
  readonly before: number[] = [];
  readonly after: number[] = [];
  readonly details = new Map<number, { before: CellDetail; after: CellDetail }>();
  /** One entry a written register: which cell of the plan, and the head it cites. */
  #entryCell: number[] = [];
  #entryNotes: boolean[] = [];
  #parentRef: number[] = [];
  #parentIndex: number[] = [];
  #itemBytes = new Map<number, number>();

  /** Of the one cell of a resolve: names of all heads, by register. */
  readonly #resolves: { assertion: string[]; notes: string[] } | null;

  constructor(state: ReplicaState, resolves: { assertion: string[]; notes: string[] } | null = null) {
    this.#state = state;
    this.#resolves = resolves;
    this.#seen = new Uint8Array(state.store.raw.length);
  }

  get count(): number {
    return this.#entryCell.length;
  }

  /** Asks for a cell to become this. A cell named twice keeps its first wish; one that is so already is left out. */
  want(cell: number, code: number, detail: CellDetail): void {
    if (this.#seen[cell] === 1) return;
    this.#seen[cell] = 1;
    const state = this.#state;
    const old = state.detail(cell);
    const was = state.store.raw[cell] as number;
    const plain = old === detail;
    const assertion = (this.#resolves?.assertion.length ?? 0) > 1 || was !== code || (!plain && (old.source_value !== detail.source_value || !same(old.provenance, detail.provenance)));
    const notes = (this.#resolves?.notes.length ?? 0) > 1 || (!plain && old.notes !== detail.notes);
    if (!assertion && !notes) return;
    if (!plain) this.#check(code, detail);
    const at = this.cells.length;
    this.cells.push(cell);
    this.before.push(was);
    this.after.push(code);
    this.wrote.push((assertion ? WROTE_ASSERTION : 0) | (notes ? WROTE_NOTES : 0));
    if (!plain || notes || state.details.has(cell)) this.details.set(at, { before: { source_value: old.source_value, notes: old.notes, provenance: old.provenance }, after: { source_value: detail.source_value, notes: detail.notes, provenance: detail.provenance } });
    if (assertion) this.#entry(at, false, state.store.ref[cell] as number, state.store.index[cell] as number);
    if (notes) {
      const [ref, index] = state.head({ kind: 'notes', cell }) ?? [0, 0];
      this.#entry(at, true, ref, index);
    }
  }
  #entry(at: number, notes: boolean, ref: number, index: number): void {
    this.#entryCell.push(at);
    this.#entryNotes.push(notes);
    this.#parentRef.push(ref);
    this.#parentIndex.push(index);
  }
  #check(code: number, detail: CellDetail): void {
    const checked = Assertion.safeParse(assertionValue(code, detail));
    const notes = LongText.nullable().safeParse(detail.notes);
    const issue = checked.error?.issues[0] ?? notes.error?.issues[0];
    if (issue !== undefined) throw new InvalidPatchError(`${issue.path.join('.') || 'notes'}: ${issue.message}`);
  }

  size(index: number): number {
    const at = this.#entryCell[index] as number;
    const cell = this.cells[at] as number;
    const slot = Math.floor(cell / this.#state.store.columns);
    let item = this.#itemBytes.get(slot);
    if (item === undefined) this.#itemBytes.set(slot, (item = jsonBytes(this.#state.items[slot]?.item_uid ?? '')));
    const detail = this.details.get(at)?.after;
    const value = detail === undefined ? 24 : this.#entryNotes[index] === true ? jsonBytes(detail.notes ?? '') : 64 + jsonBytes(detail.source_value ?? '') + 3 * canonicalJson(detail.provenance ?? null).length;
    return 130 + item + this.#state.profile.length + this.#state.version.length + (this.#state.rules[cell - slot * this.#state.store.columns]?.length ?? 0) + value;
  }

  at(index: number): Entry {
    const at = this.#entryCell[index] as number;
    const kind = this.#entryNotes[index] === true ? 'notes' : 'assertion';
    const detail = this.details.get(at)?.after;
    const ref = this.#parentRef[index] as number;
    const named = this.#resolves?.[kind] ?? [];
    return {
      op: named.length > 1 ? 'resolve' : 'set',
      parents: named.length > 1 ? named : ref === 0 ? [] : [this.#state.headName([ref, this.#parentIndex[index] as number])],
      reg: this.#state.address({ kind, cell: this.cells[at] as number }),
      value: kind === 'notes' ? (detail?.notes ?? null) : detail === undefined ? { raw_outcome: stateOf(this.after[at] as number) } : assertionValue(this.after[at] as number, detail),
    };
  }

  /** Shows the plan's values with the heads they will have, and answers the journal's record of it. */
  apply(pieces: readonly Piece[], about: Pick<Step, 'id' | 'stack' | 'label' | 'why' | 'at'>): Step {
    const state = this.#state;
    const step = newStep(state, this.cells, about);
    step.wrote.set(this.wrote);
    step.before.set(this.before);
    step.after.set(this.after);
    for (const [at, detail] of this.details) step.details[at] = { ...detail, head: null, former: null, root: null };
    const resolved = (kind: 'assertion' | 'notes', cell: number): void => {
      if (this.#resolves !== null && this.#resolves[kind].length > 1) state.resolved({ kind, cell });
    };
    for (const piece of pieces) {
      for (let index = piece.from; index < piece.to; index += 1) {
        const at = this.#entryCell[index] as number;
        const place = index - piece.from;
        const cell = this.cells[at] as number;
        const detail = step.details[at];
        const [ref, entry] = [this.#parentRef[index] as number, this.#parentIndex[index] as number];
        if (this.#entryNotes[index] === true) {
          state.assign({ kind: 'notes', cell }, piece.ref, place, detail?.after.notes ?? null);
          if (detail !== undefined) step.details[at] = { ...detail, head: [piece.ref, place], former: ref === 0 ? null : [ref, entry] };
          resolved('notes', cell);
          continue;
        }
        step.head.ref[at] = piece.ref;
        step.head.entry[at] = place;
        step.former.ref[at] = ref;
        step.former.entry[at] = entry;
        if (detail === undefined) state.setOutcome(cell, this.after[at] as number, piece.ref, place);
        else state.assign({ kind: 'assertion', cell }, piece.ref, place, assertionValue(this.after[at] as number, detail.after));
        resolved('assertion', cell);
      }
    }
    return step;
  }
}
