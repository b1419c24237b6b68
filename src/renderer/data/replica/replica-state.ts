import type { RecordedBy } from '../../../shared/contract/v1/evidence.ts';
import { compareRows } from '../../../shared/domain/matrix.ts';
import { codeOf, stateOf } from '../../../shared/domain/outcome.ts';
import {
  applyEntry,
  displayedHead,
  type HeadEntry,
  type RegisterState,
} from '../../../sync/heads.ts';
import {
  columnPrefix,
  type ItemField,
  parseRegister,
  type Register,
} from '../../../sync/register.ts';
import { type Assertion, sameAssertion } from '../../../sync/assertion.ts';
import { entryName } from '../../../sync/change.ts';
import {
  BLOCK_SLOTS,
  type BlockRow,
  type ContestedRow,
  type DetailsRow,
  type FurtherHead,
  type HeadRef,
  type ItemRecord,
  type ItemsRow,
  type MatrixDocument,
  type StoredDetail,
} from '../store/db.ts';
import { EMPTY_ITEM } from '../store/item-edits.ts';
import { MatrixStore } from './matrix-store.ts';
import { Names } from '../store/names.ts';
import type { CellDetail } from '../store/port.ts';

/** Where a register lives in this replica. */
export type Target =
  | { kind: 'assertion' | 'notes'; cell: number }
  | { kind: 'item'; slot: number; field: ItemField };

/**
 * Replica rows that have changed, copied at the moment of the change, so that what is written later
 * is what was shown then.
 */
export interface ReplicaRows {
  /** How many numbers had been given out then (see names.ts). */
  names: number;
  blocks: BlockRow[];
  items: ItemsRow[];
  details: DetailsRow[];
  detailsGone: [string, number][];
  contested: ContestedRow[];
  contestedGone: [string, string][];
  /** Contested cells. */
  review: number;
}

const NO_DETAIL: CellDetail = { source_value: null, notes: null, provenance: null };

/** One matrix in memory: cells, items, details, and the few registers with more than one head. */
export class ReplicaState {
  readonly id: string;
  readonly rules: readonly string[];
  readonly profile: string;
  readonly version: string;
  /** Undefined until a snapshot has told it. */
  document: MatrixDocument | undefined;
  readonly names: Names;
  readonly store: MatrixStore;
  readonly items: ItemRecord[] = [];
  readonly slots = new Map<string, number>();
  readonly columns: Map<string, number>;
  readonly details = new Map<number, StoredDetail>();
  readonly contested = new Set<number>();
  /**
   * By register address: the heads that are not displayed, and the parents named by entries that
   * have not arrived here.
   */
  readonly further = new Map<string, { others: FurtherHead[]; cited: string[] }>();
  readonly #prefixes: Record<'assertion' | 'notes', string[]>;
  #blocks = new Set<number>();
  #items = new Set<number>();
  #details = new Set<number>();
  #registers = new Set<string>();
  rearrange = true;
  /**
   * Entries that cite a head where none is displayed. While the parts of a snapshot are put
   * together, this means that a row was missed.
   */
  orphans = 0;

  constructor(
    matrix: {
      id: string;
      profile_uid: string;
      profile_version: string;
      rules: readonly string[];
      document?: MatrixDocument;
    },
    names = new Names(),
    capacity = 0,
  ) {
    this.id = matrix.id;
    this.rules = matrix.rules;
    this.profile = matrix.profile_uid;
    this.version = matrix.profile_version;
    this.document = matrix.document === undefined ? undefined : { ...matrix.document };
    this.names = names;
    this.store = new MatrixStore(matrix.rules.length, capacity);
    this.columns = new Map(matrix.rules.map((rule, column) => [rule, column]));
    const prefixes = (kind: 'assertion' | 'notes') =>
      matrix.rules.map((rule) =>
        columnPrefix(kind, matrix.profile_uid, matrix.profile_version, rule),
      );
    this.#prefixes = { assertion: prefixes('assertion'), notes: prefixes('notes') };
  }

  address(target: Target): string {
    if (target.kind === 'item')
      return `item/${target.field}/${this.items[target.slot]?.item_uid ?? ''}`;
    const slot = Math.floor(target.cell / this.store.columns);
    return `${this.#prefixes[target.kind][target.cell - slot * this.store.columns] ?? ''}${this.items[slot]?.item_uid ?? ''}`;
  }

  /**
   * Where a register is; makes the item if it is new here. Undefined for registers of another
   * profile, rule or kind.
   */
  target(register: Register): Target | undefined {
    if (register.kind === 'item')
      return { kind: 'item', slot: this.slot(register.item), field: register.field };
    if (register.kind !== 'assertion' && register.kind !== 'notes') return undefined;
    if (register.profile !== this.profile || register.version !== this.version) return undefined;
    const column = this.columns.get(register.rule);
    return column === undefined
      ? undefined
      : { kind: register.kind, cell: this.slot(register.item) * this.store.columns + column };
  }

  /**
   * Takes note of an entry that names a document for a matrix of the case. A decision that names
   * this copy's document ends all doubt about it.
   */
  nameDocument(
    register: Extract<Register, { kind: 'profile' | 'document' | 'version' }>,
    op: string,
    digest: string,
  ): void {
    if (
      this.document === undefined ||
      register.profile !== this.profile ||
      register.version !== this.version
    )
      return;
    const own = digest === this.document.digest;
    this.document = {
      ...this.document,
      named: this.document.named || own,
      other: own ? this.document.other && op !== 'resolve' : true,
    };
  }

  slot(itemUid: string): number {
    const known = this.slots.get(itemUid);
    if (known !== undefined) return known;
    return this.addItem({ item_uid: itemUid, ...EMPTY_ITEM, heads: {} });
  }
  addItem(item: ItemRecord): number {
    const slot = this.items.length;
    this.items.push(item);
    this.slots.set(item.item_uid, slot);
    this.store.grow(slot + 1);
    this.#items.add(Math.floor(slot / BLOCK_SLOTS));
    this.#blocks.add(Math.floor(slot / BLOCK_SLOTS));
    this.rearrange = true;
    return slot;
  }

  /**
   * All rows by position and then item_uid, removed ones too. Rows added last may be out of order
   * until `arrange`.
   */
  readonly #sorted: number[] = [];
  sorted(): readonly number[] {
    const { items } = this;
    const sorted = this.#sorted;
    for (let slot = sorted.length; slot < items.length; slot += 1) sorted.push(slot);
    const compare = (a: number, b: number): number => compareRows(items[a]!, items[b]!);
    if (sorted.some((slot, at) => at > 0 && compare(sorted[at - 1]!, slot) > 0))
      sorted.sort(compare);
    return sorted;
  }
  /** Sorts the rows, if items have changed. */
  arrange(): boolean {
    if (!this.rearrange) return false;
    this.rearrange = false;
    this.store.arrange(this.sorted().filter((slot) => this.items[slot]?.exists === true));
    return true;
  }

  detail(cell: number): CellDetail {
    return this.details.get(cell) ?? NO_DETAIL;
  }

  head(target: Target): HeadRef | null {
    if (target.kind === 'item') return this.items[target.slot]?.heads[target.field] ?? null;
    if (target.kind === 'notes') return this.details.get(target.cell)?.notesHead ?? null;
    const ref = this.store.ref[target.cell] ?? 0;
    return ref === 0 ? null : [ref, this.store.index[target.cell] ?? 0];
  }
  /**
   * Whose word the displayed outcome of a cell is; null where nothing was ever recorded, or it is
   * not known.
   */
  recordedBy(cell: number): RecordedBy | null {
    const ref = this.store.ref[cell] ?? 0;
    return ref === 0 ? null : this.names.author(ref, this.store.index[cell] ?? 0);
  }
  headName(head: HeadRef): string {
    return entryName(this.names.id(head[0]) ?? '', head[1]);
  }

  value(target: Target): unknown {
    if (target.kind === 'item') {
      const item = this.items[target.slot];
      if (target.field !== 'x') return item?.[target.field];
      return {
        deleted: item?.exists !== true,
        ...(item?.covers === undefined ? {} : { covers: item.covers }),
      };
    }
    const detail = this.detail(target.cell);
    if (target.kind === 'notes') return detail.notes;
    const value: Assertion = { raw_outcome: stateOf(this.store.raw[target.cell] ?? 3) };
    if (detail.source_value !== null) value.source_value = detail.source_value;
    if (detail.provenance !== null)
      value.provenance = detail.provenance as NonNullable<Assertion['provenance']>;
    return value;
  }

  /** Shows `value` as the register's displayed head. The other heads stay as they are. */
  assign(target: Target, ref: number, index: number, value: unknown): void {
    if (target.kind === 'item') {
      const item = this.items[target.slot] as ItemRecord;
      item.heads = { ...item.heads, [target.field]: [ref, index] };
      if (target.field === 'x') {
        const { deleted, covers } = value as { deleted: boolean; covers?: string[] };
        item.exists = !deleted;
        if (deleted && covers !== undefined) item.covers = covers;
        else delete item.covers;
      } else Object.assign(item, { [target.field]: value });
      this.#items.add(Math.floor(target.slot / BLOCK_SLOTS));
      this.rearrange = true;
      return;
    }
    const { cell } = target;
    if (target.kind === 'assertion') {
      const { raw_outcome, source_value = null, provenance = null } = value as Assertion;
      const old = this.details.get(cell);
      if (old !== undefined || source_value !== null || provenance !== null)
        this.#setDetail(cell, { notes: null, notesHead: null, ...old, source_value, provenance });
      this.store.set(cell, codeOf(raw_outcome), ref, index);
      this.#blocks.add(Math.floor(cell / this.store.columns / BLOCK_SLOTS));
    } else {
      this.#setDetail(cell, {
        ...(this.details.get(cell) ?? NO_DETAIL),
        notes: value as string | null,
        notesHead: [ref, index],
      });
      this.store.touch(cell);
    }
    if (this.further.size > 0) this.judge(cell);
  }
  /**
   * Like `assign`, for an outcome where there are no details: the fast path of large gestures.
   * `loose` comes from `looseCells`.
   */
  setOutcome(
    cell: number,
    code: number,
    ref: number,
    index: number,
    loose: ReadonlySet<number>,
  ): void {
    this.store.set(cell, code, ref, index);
    this.#blocks.add(Math.floor(cell / this.store.columns / BLOCK_SLOTS));
    if (loose.size > 0 && loose.has(cell)) this.judge(cell);
  }
  /** Cells with further heads; only these can be contested. */
  looseCells(): ReadonlySet<number> {
    const cells = new Set<number>();
    for (const address of this.further.keys()) {
      const register = parseRegister(address);
      const target =
        register === undefined || !this.slots.has('item' in register ? register.item : '')
          ? undefined
          : this.target(register);
      if (target !== undefined && target.kind !== 'item') cells.add(target.cell);
    }
    return cells;
  }
  #setDetail(cell: number, detail: StoredDetail): void {
    if (
      detail.source_value === null &&
      detail.provenance === null &&
      detail.notes === null &&
      detail.notesHead === null
    )
      this.details.delete(cell);
    else this.details.set(cell, detail);
    this.#details.add(Math.floor(cell / this.store.columns));
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
    const head = this.head(target);
    const address =
      this.further.size > 0 || head !== null || parents.length > 0 ? this.address(target) : '';
    const more = this.further.get(address);
    const plain =
      more === undefined &&
      (head === null
        ? parents.length === 0
        : parents.length === 1 && parents[0] === this.headName(head));
    if (plain) return this.assign(target, ref, index, value);
    if (head === null) this.orphans += 1;

    const heads: FurtherHead[] = [
      ...(head === null ? [] : [{ ref: head[0], index: head[1], value: this.value(target) }]),
      ...(more?.others ?? []),
    ];
    const entry: HeadEntry = { name: this.headName([ref, index]), hlc: this.names.clock(ref) };
    const byName = new Map(heads.map((h) => [this.headName([h.ref, h.index]), h]));
    const state: RegisterState = {
      heads: [...byName].map(([name, h]) => ({ name, hlc: this.names.clock(h.ref) })),
      cited: more?.cited ?? [],
    };
    const already = byName.has(entry.name);
    byName.set(entry.name, { ref, index, value });
    const next = already
      ? { heads: state.heads.filter((h) => !parents.includes(h.name)), cited: state.cited }
      : applyEntry(
          state,
          entry,
          parents,
          (name) => this.names.find(name.slice(0, name.lastIndexOf('#'))) !== undefined,
        );
    this.settle(
      target,
      address,
      next.heads.flatMap((h) => byName.get(h.name) ?? []),
      next.cited,
    );
  }

  /** Stores a register's heads: the winner on screen, the others beside it. */
  settle(
    target: Target,
    address: string,
    heads: readonly FurtherHead[],
    cited: readonly string[],
  ): void {
    const entries = heads.map((h) => ({
      name: this.headName([h.ref, h.index]),
      hlc: this.names.clock(h.ref),
    }));
    const best = displayedHead({ heads: entries, cited });
    const winner = heads[entries.findIndex((entry) => entry === best)];
    const others = heads.filter((h) => h !== winner);
    if (others.length > 0 || cited.length > 0)
      this.further.set(address, { others, cited: [...cited] });
    else this.further.delete(address);
    this.#registers.add(address);
    if (winner !== undefined) this.assign(target, winner.ref, winner.index, winner.value);
    if (target.kind !== 'item') this.judge(target.cell);
  }

  /**
   * H3: after this window has written something, another head with a clock further ahead is still
   * the one displayed.
   */
  rank(target: Target): void {
    const address = this.further.size === 0 ? '' : this.address(target);
    const more = this.further.get(address);
    if (more !== undefined && more.others.length > 0)
      this.settle(target, address, this.heads(target), more.cited);
  }

  /**
   * Updates whether a cell is contested: its heads differ in outcome, source or notes. Heads that
   * say the same corroborate each other.
   */
  judge(cell: number): void {
    const differs = (kind: 'assertion' | 'notes'): boolean => {
      const target: Target = { kind, cell };
      const others = this.further.get(this.address(target))?.others ?? [];
      const shown = this.value(target);
      return others.some((other) =>
        kind === 'notes'
          ? other.value !== shown
          : !sameAssertion(other.value as Assertion, shown as Assertion),
      );
    };
    const before = this.contested.has(cell);
    if (differs('assertion') || differs('notes')) this.contested.add(cell);
    else this.contested.delete(cell);
    if (before !== this.contested.has(cell)) this.store.touch(cell);
  }

  /** All heads of a register, the displayed one first. */
  heads(target: Target): FurtherHead[] {
    const head = this.head(target);
    const others =
      this.further.size === 0 ? [] : (this.further.get(this.address(target))?.others ?? []);
    return head === null
      ? []
      : [{ ref: head[0], index: head[1], value: this.value(target) }, ...others];
  }

  markAllDirty(): void {
    for (let block = 0; block * BLOCK_SLOTS < this.items.length; block += 1) {
      this.#blocks.add(block);
      this.#items.add(block);
    }
    for (const cell of this.details.keys())
      this.#details.add(Math.floor(cell / this.store.columns));
    for (const address of this.further.keys()) this.#registers.add(address);
  }

  takeDirty(): ReplicaRows {
    const rows: ReplicaRows = {
      names: this.names.size,
      blocks: [],
      items: [],
      details: [],
      detailsGone: [],
      contested: [],
      contestedGone: [],
      review: this.contested.size,
    };
    const { columns } = this.store;
    for (const block of this.#blocks) {
      const [from, to] = [
        block * BLOCK_SLOTS * columns,
        Math.min(this.items.length, (block + 1) * BLOCK_SLOTS) * columns,
      ];
      rows.blocks.push({
        matrix: this.id,
        block,
        raw: this.store.raw.slice(from, to),
        ref: this.store.ref.slice(from, to),
        index: this.store.index.slice(from, to),
      });
    }
    for (const block of this.#items)
      rows.items.push({
        matrix: this.id,
        block,
        items: this.items
          .slice(block * BLOCK_SLOTS, (block + 1) * BLOCK_SLOTS)
          .map((item) => ({ ...item })),
      });
    for (const slot of this.#details) {
      const cells: Record<number, StoredDetail> = {};
      let any = false;
      for (let column = 0; column < columns; column += 1) {
        const detail = this.details.get(slot * columns + column);
        if (detail !== undefined) any = true;
        if (detail !== undefined) cells[column] = detail;
      }
      if (any) rows.details.push({ matrix: this.id, slot, cells });
      else rows.detailsGone.push([this.id, slot]);
    }
    for (const register of this.#registers) {
      const more = this.further.get(register);
      if (more === undefined) rows.contestedGone.push([this.id, register]);
      else
        rows.contested.push({
          matrix: this.id,
          register,
          others: [...more.others],
          cited: [...more.cited],
        });
    }
    for (const set of [this.#blocks, this.#items, this.#details, this.#registers]) set.clear();
    return rows;
  }
}
