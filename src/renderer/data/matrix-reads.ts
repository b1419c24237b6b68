import type { CaseUid } from '../../shared/contract/ids.ts';
import { stateOf } from '../../shared/domain/outcome.ts';
import {
  contestCount,
  contestsOf,
  alternativesUnder,
  headsOf,
  placeOf,
} from './editing/contests.ts';
import { rowsOfState } from './editing/edit-plan.ts';
import { resolveItems } from './store/item-edits.ts';
import type { Target } from './replica/registers.ts';
import type { ItemRow, MatrixSession } from './store/port.ts';
import type { Replica } from './sync/replica.ts';

const toRow = ({ item_uid, item_type, label, metadata, position }: ItemRow): ItemRow => ({
  item_uid,
  item_type,
  label,
  metadata,
  position,
});

type SessionReads = Pick<
  MatrixSession,
  | 'caseUid'
  | 'profile'
  | 'documentDigest'
  | 'rules'
  | 'items'
  | 'removedItems'
  | 'rowOf'
  | 'columnOf'
  | 'state'
  | 'contested'
  | 'recordedBy'
  | 'detail'
  | 'cellVersion'
  | 'eachDetail'
  | 'eachContested'
  | 'rowCounts'
  | 'columnCounts'
  | 'totals'
  | 'revision'
  | 'subscribe'
  | 'subscribeNews'
  | 'check'
  | 'alternatives'
  | 'contests'
  | 'contestCount'
  | 'headsOf'
  | 'editsUnder'
>;

/**
 * What can be read of an open matrix from memory, by row and column on screen. Its members are not
 * private by `#`, since the editor makes objects that have a session as their prototype.
 */
export class MatrixReads implements SessionReads {
  protected readonly replica: Replica;
  /** The items on screen, made again with another order. */
  private readonly shown = { order: null as unknown, items: [] as readonly ItemRow[] };

  constructor(replica: Replica) {
    this.replica = replica;
  }

  private get store() {
    return this.replica.state.store;
  }
  private cellOf(row: number, column: number): number {
    return this.store.cellOf(row, column);
  }
  private visitCell(cell: number, visit: (row: number, column: number) => void): void {
    const { columns, rows } = this.store;
    const row = rows[Math.floor(cell / columns)] ?? -1;
    if (row >= 0) visit(row, cell % columns);
  }

  get caseUid(): CaseUid {
    return this.replica.row.case_uid;
  }
  get profile(): MatrixSession['profile'] {
    return this.replica.profile;
  }
  get documentDigest(): string | null {
    return this.replica.state.document?.digest ?? null;
  }
  get rules(): readonly string[] {
    return this.replica.row.rules;
  }
  get items(): readonly ItemRow[] {
    const { order } = this.store;
    if (this.shown.order !== order)
      Object.assign(this.shown, {
        order,
        items: Array.from(order, (index) => toRow(this.replica.state.items[index]!)),
      });
    return this.shown.items;
  }
  removedItems(): ItemRow[] {
    const { state } = this.replica;
    return state
      .sorted()
      .flatMap((itemIndex) =>
        state.items[itemIndex]!.exists ? [] : [toRow(state.items[itemIndex]!)],
      );
  }
  check(edits: Parameters<MatrixSession['check']>[0]): ReturnType<MatrixSession['check']> {
    return resolveItems(rowsOfState(this.replica.state), edits).problems;
  }

  // Functions of their own, since pages hand them on.
  readonly rowOf = (itemUid: string): number =>
    this.store.rows[this.replica.state.itemIndexes.get(itemUid) ?? -1] ?? -1;
  readonly columnOf = (ruleUid: string): number => this.replica.state.columns.get(ruleUid) ?? -1;
  state(row: number, column: number): ReturnType<MatrixSession['state']> {
    return stateOf(this.store.codeAt(row, column));
  }
  contested(row: number, column: number): boolean {
    return this.replica.state.conflicts.cells.has(this.cellOf(row, column));
  }
  recordedBy(row: number, column: number): ReturnType<MatrixSession['recordedBy']> {
    return this.replica.state.recordedBy(this.cellOf(row, column));
  }
  detail(row: number, column: number): ReturnType<MatrixSession['detail']> {
    return this.replica.state.detail(this.cellOf(row, column));
  }
  cellVersion(row: number, column: number): string {
    const { conflicts } = this.replica.state;
    const cell = this.cellOf(row, column);
    return (['assertion', 'notes'] as const)
      .map((kind) => conflicts.heads({ kind, cell }).map(({ ref, index }) => `${ref}#${index}`))
      .join('/');
  }
  eachDetail(visit: Parameters<MatrixSession['eachDetail']>[0]): void {
    for (const [cell, detail] of this.replica.state.details)
      this.visitCell(cell, (row, column) => visit(row, column, detail));
  }
  eachContested(visit: Parameters<MatrixSession['eachContested']>[0]): void {
    for (const cell of this.replica.state.conflicts.cells) this.visitCell(cell, visit);
  }

  rowCounts(row: number): ReturnType<MatrixSession['rowCounts']> {
    return this.store.rowCounts(row);
  }
  columnCounts(column: number): ReturnType<MatrixSession['columnCounts']> {
    return this.store.columnCounts(column);
  }
  totals(): ReturnType<MatrixSession['totals']> {
    return this.store.totals();
  }
  get revision(): number {
    return this.store.revision;
  }
  readonly subscribe: MatrixSession['subscribe'] = (listener) => this.store.subscribe(listener);
  readonly subscribeNews: MatrixSession['subscribeNews'] = (listener) =>
    this.store.subscribeNews((news) =>
      listener(
        news.map(({ row, column, by }) => ({
          item: this.items[row]?.item_uid ?? '',
          rule: this.rules[column] ?? '',
          by,
        })),
      ),
    );

  /** What has just been written gets its name now, if it is asked for. */
  private headsAt(target: Target): ReturnType<MatrixSession['headsOf']> {
    const { state, writer } = this.replica;
    const isNamed = ({ ref }: { ref: number }): boolean => state.changeIds.id(ref) !== undefined;
    if (!state.conflicts.heads(target).every(isNamed)) writer.encodeAll();
    return headsOf(state, target);
  }
  alternatives(row: number, column: number): ReturnType<MatrixSession['alternatives']> {
    return (['assertion', 'notes'] as const).flatMap((kind) =>
      this.headsAt({ kind, cell: this.cellOf(row, column) }),
    );
  }
  contests(): ReturnType<MatrixSession['contests']> {
    return contestsOf(this.replica.state);
  }
  contestCount(): number {
    return contestCount(this.replica.state);
  }
  headsOf(reg: string): ReturnType<MatrixSession['headsOf']> {
    const target = placeOf(this.replica.state, reg);
    return target === undefined ? [] : this.headsAt(target);
  }
  editsUnder(item: string): ReturnType<MatrixSession['editsUnder']> {
    return alternativesUnder(this.replica.state, item);
  }
}
