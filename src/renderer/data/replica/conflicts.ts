import { type Assertion, sameAssertion } from '../../../sync/assertion.ts';
import { applyEntry, displayedHead, type RegisterState } from '../../../sync/heads.ts';
import { parseRegister, type Register } from '../../../sync/register.ts';
import type { ConflictingHead, HeadRef } from '../store/db.ts';
import type { ChangeIds } from '../store/change-ids.ts';
import type { ChangedRows } from './changed-rows.ts';
import type { MatrixStore } from './matrix-store.ts';
import type { RegisterHeads, Target } from './registers.ts';

/** The displayed heads of a replica. */
interface Displayed {
  readonly changeIds: ChangeIds;
  readonly store: MatrixStore;
  readonly itemIndexes: ReadonlyMap<string, number>;
  address(target: Target): string;
  target(register: Register): Target | undefined;
  head(target: Target): HeadRef | null;
  headName(head: HeadRef): string;
  value(target: Target): unknown;
  /** Shows `value` as the register's displayed head. The other heads stay as they are. */
  assign(target: Target, ref: number, index: number, value: unknown): void;
}

/** The few registers of a matrix with more than one head, or with parents that are missing. */
export class Conflicts {
  readonly #displayed: Displayed;
  readonly #changed: ChangedRows;
  /** By register address. */
  readonly registers = new Map<string, RegisterHeads>();
  /** Contested cells: their heads differ in what they say. */
  readonly cells = new Set<number>();
  /**
   * Entries that cite a head where none is displayed. While the parts of a snapshot are put
   * together, this means that a row was missed.
   */
  orphans = 0;

  constructor(displayed: Displayed, changed: ChangedRows) {
    this.#displayed = displayed;
    this.#changed = changed;
  }

  get isEmpty(): boolean {
    return this.registers.size === 0;
  }

  /** Heads of a register that are not displayed. */
  others(target: Target): readonly ConflictingHead[] {
    return this.isEmpty ? [] : (this.registers.get(this.#displayed.address(target))?.others ?? []);
  }
  /** All heads of a register, the displayed one first. */
  heads(target: Target): ConflictingHead[] {
    const head = this.#displayed.head(target);
    return head === null
      ? []
      : [
          { ref: head[0], index: head[1], value: this.#displayed.value(target) },
          ...this.others(target),
        ];
  }

  /** Cells with conflicting heads; only these can be contested. */
  candidates(): ReadonlySet<number> {
    const { itemIndexes } = this.#displayed;
    const cells = new Set<number>();
    for (const address of this.registers.keys()) {
      const register = parseRegister(address);
      const target =
        register === undefined || !itemIndexes.has('item' in register ? register.item : '')
          ? undefined
          : this.#displayed.target(register);
      if (target !== undefined && target.kind !== 'item') cells.add(target.cell);
    }
    return cells;
  }

  /**
   * Applies an entry of the log. The displayed head depends on the set of entries alone
   * (sync/heads.ts). `names` must know the clock of the entry's change.
   */
  apply(
    target: Target,
    ref: number,
    index: number,
    parents: readonly string[],
    value: unknown,
  ): void {
    const shown = this.#displayed;
    const head = shown.head(target);
    const address =
      !this.isEmpty || head !== null || parents.length > 0 ? shown.address(target) : '';
    const more = this.registers.get(address);
    const isPlain =
      more === undefined &&
      (head === null
        ? parents.length === 0
        : parents.length === 1 && parents[0] === shown.headName(head));
    if (isPlain) return shown.assign(target, ref, index, value);
    if (head === null) this.orphans += 1;

    const { changeIds } = shown;
    const entry = { name: shown.headName([ref, index]), hlc: changeIds.clock(ref) };
    const heads: ConflictingHead[] = [
      ...(head === null ? [] : [{ ref: head[0], index: head[1], value: shown.value(target) }]),
      ...(more?.others ?? []),
    ];
    const byName = new Map(heads.map((one) => [shown.headName([one.ref, one.index]), one]));
    const before: RegisterState = {
      heads: [...byName].map(([name, one]) => ({ name, hlc: changeIds.clock(one.ref) })),
      cited: more?.cited ?? [],
    };
    const isKnown = byName.has(entry.name);
    byName.set(entry.name, { ref, index, value });
    const after = isKnown
      ? { heads: before.heads.filter((one) => !parents.includes(one.name)), cited: before.cited }
      : applyEntry(
          before,
          entry,
          parents,
          (name) => changeIds.find(name.slice(0, name.lastIndexOf('#'))) !== undefined,
        );
    this.settle(
      target,
      address,
      after.heads.flatMap(({ name }) => byName.get(name) ?? []),
      after.cited,
    );
  }

  /** Stores a register's heads: the winner on screen, the others beside it. */
  settle(
    target: Target,
    address: string,
    heads: readonly ConflictingHead[],
    cited: readonly string[],
  ): void {
    const shown = this.#displayed;
    const entries = heads.map(({ ref, index }) => ({
      name: shown.headName([ref, index]),
      hlc: shown.changeIds.clock(ref),
    }));
    const best = displayedHead({ heads: entries, cited });
    const winner = heads[entries.findIndex((entry) => entry === best)];
    const others = heads.filter((head) => head !== winner);
    if (others.length > 0 || cited.length > 0)
      this.registers.set(address, { others, cited: [...cited] });
    else this.registers.delete(address);
    this.#changed.register(address);
    if (winner !== undefined) shown.assign(target, winner.ref, winner.index, winner.value);
    if (target.kind !== 'item') this.classify(target.cell);
  }

  /**
   * H3: after this window has written something, another head with a clock further ahead is still
   * the one displayed.
   */
  rank(target: Target): void {
    const address = this.isEmpty ? '' : this.#displayed.address(target);
    const more = this.registers.get(address);
    if (more !== undefined && more.others.length > 0)
      this.settle(target, address, this.heads(target), more.cited);
  }

  /**
   * Updates whether a cell is contested: its heads differ in outcome, source or notes. Heads that
   * say the same corroborate each other.
   */
  classify(cell: number): void {
    const differs = (kind: 'assertion' | 'notes'): boolean => {
      const target: Target = { kind, cell };
      const shown = this.#displayed.value(target);
      return this.others(target).some(({ value }) =>
        kind === 'notes' ? value !== shown : !sameAssertion(value as Assertion, shown as Assertion),
      );
    };
    const wasContested = this.cells.has(cell);
    const isContested = differs('assertion') || differs('notes');
    if (isContested === wasContested) return;
    if (isContested) this.cells.add(cell);
    else this.cells.delete(cell);
    this.#displayed.store.touch(cell);
  }
}
