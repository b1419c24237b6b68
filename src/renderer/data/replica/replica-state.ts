import type { RecordedBy } from '../../../shared/contract/v1/evidence.ts';
import { compareRows } from '../../../shared/domain/matrix.ts';
import { codeOf, stateOf } from '../../../shared/domain/outcome.ts';
import { columnPrefix, type Register } from '../../../sync/register.ts';
import type { Assertion } from '../../../sync/assertion.ts';
import { entryName } from '../../../sync/change.ts';
import type { HeadRef, ItemRecord, MatrixDocument, StoredDetail } from '../store/db.ts';
import { EMPTY_ITEM } from '../store/item-edits.ts';
import { ChangedRows, type ReplicaRows } from './changed-rows.ts';
import { Conflicts } from './conflicts.ts';
import { MatrixStore } from './matrix-store.ts';
import { ChangeIds } from '../store/change-ids.ts';
import type { CellDetail } from '../store/port.ts';
import type { Target } from './registers.ts';
import type { ProfileUid } from '../../../shared/contract/ids.ts';

const NO_DETAIL: CellDetail = { source_value: null, notes: null, provenance: null };

/**
 * One matrix in memory: its items, the cells with their details, and the head displayed of each.
 */
export class ReplicaState {
  readonly id: string;
  readonly rules: readonly string[];
  readonly profile: ProfileUid;
  readonly version: string;
  /** Undefined until a snapshot was read. */
  document: MatrixDocument | undefined;
  readonly changeIds: ChangeIds;
  readonly store: MatrixStore;
  readonly items: ItemRecord[] = [];
  readonly itemIndexes = new Map<string, number>();
  readonly columns: Map<string, number>;
  readonly details = new Map<number, StoredDetail>();
  readonly conflicts: Conflicts;
  readonly #changed = new ChangedRows();
  readonly #prefixes: Record<'assertion' | 'notes', string[]>;
  rearrange = true;

  constructor(
    matrix: {
      id: string;
      profile_uid: ProfileUid;
      profile_version: string;
      rules: readonly string[];
      document?: MatrixDocument;
    },
    changeIds = new ChangeIds(),
    capacity = 0,
  ) {
    this.id = matrix.id;
    this.rules = matrix.rules;
    this.profile = matrix.profile_uid;
    this.version = matrix.profile_version;
    this.document = matrix.document === undefined ? undefined : { ...matrix.document };
    this.changeIds = changeIds;
    this.store = new MatrixStore(matrix.rules.length, capacity);
    this.columns = new Map(matrix.rules.map((rule, column) => [rule, column]));
    const prefixes = (kind: 'assertion' | 'notes') =>
      matrix.rules.map((rule) =>
        columnPrefix(kind, matrix.profile_uid, matrix.profile_version, rule),
      );
    this.#prefixes = { assertion: prefixes('assertion'), notes: prefixes('notes') };
    this.conflicts = new Conflicts(this, this.#changed);
  }

  address(target: Target): string {
    if (target.kind === 'item')
      return `item/${target.field}/${this.items[target.itemIndex]?.item_uid ?? ''}`;
    const itemIndex = Math.floor(target.cell / this.store.columns);
    return `${this.#prefixes[target.kind][target.cell - itemIndex * this.store.columns] ?? ''}${this.items[itemIndex]?.item_uid ?? ''}`;
  }

  /**
   * Where a register is; makes the item if it is new here. Undefined for registers of another
   * profile, rule or kind.
   */
  target(register: Register): Target | undefined {
    if (register.kind === 'item')
      return { kind: 'item', itemIndex: this.itemIndex(register.item), field: register.field };
    if (register.kind !== 'assertion' && register.kind !== 'notes') return undefined;
    if (register.profile !== this.profile || register.version !== this.version) return undefined;
    const column = this.columns.get(register.rule);
    return column === undefined
      ? undefined
      : { kind: register.kind, cell: this.itemIndex(register.item) * this.store.columns + column };
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

  itemIndex(itemUid: string): number {
    const known = this.itemIndexes.get(itemUid);
    if (known !== undefined) return known;
    return this.addItem({ item_uid: itemUid, ...EMPTY_ITEM, heads: {} });
  }
  addItem(item: ItemRecord): number {
    const itemIndex = this.items.length;
    this.items.push(item);
    this.itemIndexes.set(item.item_uid, itemIndex);
    this.store.grow(itemIndex + 1);
    this.#changed.item(itemIndex);
    this.#changed.cells(itemIndex);
    this.rearrange = true;
    return itemIndex;
  }

  /**
   * All rows by position and then item_uid, removed ones too. Rows added last may be out of order
   * until `arrange`.
   */
  readonly #sorted: number[] = [];
  sorted(): readonly number[] {
    const { items } = this;
    const sorted = this.#sorted;
    for (let itemIndex = sorted.length; itemIndex < items.length; itemIndex += 1)
      sorted.push(itemIndex);
    const compare = (a: number, b: number): number => compareRows(items[a]!, items[b]!);
    if (sorted.some((itemIndex, at) => at > 0 && compare(sorted[at - 1]!, itemIndex) > 0))
      sorted.sort(compare);
    return sorted;
  }
  /** Sorts the rows, if items have changed. */
  arrange(): boolean {
    if (!this.rearrange) return false;
    this.rearrange = false;
    this.store.arrange(this.sorted().filter((itemIndex) => this.items[itemIndex]?.exists === true));
    return true;
  }

  detail(cell: number): CellDetail {
    return this.details.get(cell) ?? NO_DETAIL;
  }

  head(target: Target): HeadRef | null {
    if (target.kind === 'item') return this.items[target.itemIndex]?.heads[target.field] ?? null;
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
    return ref === 0 ? null : this.changeIds.author(ref, this.store.index[cell] ?? 0);
  }
  headName(head: HeadRef): string {
    return entryName(this.changeIds.id(head[0]) ?? '', head[1]);
  }

  value(target: Target): unknown {
    if (target.kind === 'item') {
      const item = this.items[target.itemIndex];
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
      const item = this.items[target.itemIndex] as ItemRecord;
      item.heads = { ...item.heads, [target.field]: [ref, index] };
      if (target.field === 'x') {
        const { deleted, covers } = value as { deleted: boolean; covers?: string[] };
        item.exists = !deleted;
        if (deleted && covers !== undefined) item.covers = covers;
        else delete item.covers;
      } else Object.assign(item, { [target.field]: value });
      this.#changed.item(target.itemIndex);
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
      this.#changed.cells(Math.floor(cell / this.store.columns));
    } else {
      this.#setDetail(cell, {
        ...(this.details.get(cell) ?? NO_DETAIL),
        notes: value as string | null,
        notesHead: [ref, index],
      });
      this.store.touch(cell);
    }
    if (!this.conflicts.isEmpty) this.conflicts.classify(cell);
  }
  /**
   * Like `assign`, for an outcome where there are no details: the fast path of large commands.
   * `candidates` are the cells that can be contested.
   */
  setOutcome(
    cell: number,
    code: number,
    ref: number,
    index: number,
    candidates: ReadonlySet<number>,
  ): void {
    this.store.set(cell, code, ref, index);
    this.#changed.cells(Math.floor(cell / this.store.columns));
    if (candidates.size > 0 && candidates.has(cell)) this.conflicts.classify(cell);
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
    this.#changed.details(Math.floor(cell / this.store.columns));
  }

  markAllChanged(): void {
    this.#changed.all(this);
  }
  takeChanged(): ReplicaRows {
    return this.#changed.take(this);
  }
}
