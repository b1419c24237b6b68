import type { HistoryStep } from '../../src/shared/contract/v1/evidence.ts';
import type { CellState } from '../../src/shared/domain/outcome.ts';
import type { ProfileDocument } from '../../src/shared/domain/profile.ts';
import type { CellAddress, CellDetail, CellPatch, ItemRow, MatrixSession, SaveStatus, UndoOutcome } from '../../src/renderer/data/port.ts';

const CODES: readonly CellState[] = ['FALSE', 'TRUE', 'NA', null];
const codeOf = (state: CellState): number => (state === 'FALSE' ? 0 : state === 'TRUE' ? 1 : state === 'NA' ? 2 : 3);
const EMPTY: CellDetail = { source_value: null, notes: null, provenance: null };

type Step = Map<number, { before: Snapshot; after: Snapshot }>;
interface Snapshot extends CellDetail {
  raw_outcome: CellState;
}

export interface MemoryCell extends Partial<CellDetail> {
  item: string;
  rule: string;
  raw_outcome?: CellState;
  contested?: boolean;
}

export interface MemorySession extends MatrixSession {
  /** Something that another author did: not undoable here. */
  receive(cells: readonly MemoryCell[]): void;
  setSaveStatus(status: Partial<SaveStatus>): void;
  /** The next write is refused with these words. */
  failNextWrite(message: string): void;
  /** Sets every cell at once, without history: what a stored matrix starts with. */
  fill(state: (row: number, column: number) => CellState): void;
}

/** A `MatrixSession` in memory, for the editor's own tests. `now` makes the times in history. */
export function createMemorySession(profile: ProfileDocument, rows: readonly Omit<ItemRow, 'position'>[], cells: readonly MemoryCell[] = [], now: () => number = () => 0): MemorySession {
  const rules = profile.rules.toSorted((a, b) => a.ruleOrder - b.ruleOrder).map((rule) => rule.ruleUid);
  const width = rules.length;
  const columns = new Map(rules.map((rule, index) => [rule, index]));
  let items: readonly ItemRow[] = [];
  const rowIndex = new Map<string, number>();
  let bytes = new Uint8Array(0);
  let rowSums = new Uint32Array(0);
  const columnSums = new Uint32Array(width * 4);
  const details = new Map<number, CellDetail>();
  /** Cells that contest, with the values that are not shown. */
  const contested = new Map<number, Snapshot[]>();
  const history = new Map<number, HistoryStep[]>();
  const undoStack: { label: string; step: Step }[] = [];
  const redoStack: { label: string; step: Step }[] = [];
  const listeners = new Set<(touched: readonly { row: number; column: number }[] | null) => void>();
  const statusListeners = new Set<() => void>();
  let revision = 0;
  let entries = 0;
  let failure: string | undefined;
  let saveStatus: SaveStatus = { waiting: 0, storing: 0, oldest: null, savedAt: null, connection: 'online', problem: null };

  const addRows = (added: readonly Omit<ItemRow, 'position'>[]): void => {
    const start = items.length;
    items = [...items, ...added.map((row, index) => ({ ...row, position: start + index }))];
    added.forEach((row, index) => rowIndex.set(row.item_uid, start + index));
    const grown = new Uint8Array(items.length * width).fill(3);
    grown.set(bytes);
    bytes = grown;
    const sums = new Uint32Array(items.length * 4);
    sums.set(rowSums);
    for (let row = start; row < items.length; row += 1) sums[row * 4 + 3] = width;
    rowSums = sums;
    for (let column = 0; column < width; column += 1) columnSums[column * 4 + 3]! += added.length;
  };

  const indexOf = (cell: CellAddress): number => {
    const row = rowIndex.get(cell.item);
    const column = columns.get(cell.rule);
    if (row === undefined || column === undefined) throw new Error(`no such cell: ${cell.item}, ${cell.rule}`);
    return row * width + column;
  };
  const read = (at: number): Snapshot => ({ raw_outcome: CODES[bytes[at] ?? 3] ?? null, ...(details.get(at) ?? EMPTY) });
  const put = (at: number, next: Snapshot): void => {
    const row = Math.floor(at / width);
    const column = at % width;
    const from = bytes[at] ?? 3;
    const to = codeOf(next.raw_outcome);
    if (from !== to) {
      bytes[at] = to;
      rowSums[row * 4 + from]! -= 1;
      rowSums[row * 4 + to]! += 1;
      columnSums[column * 4 + from]! -= 1;
      columnSums[column * 4 + to]! += 1;
    }
    if (next.source_value === null && next.notes === null && next.provenance === null) details.delete(at);
    else details.set(at, { source_value: next.source_value, notes: next.notes, provenance: next.provenance });
  };
  const emit = (touched: number[] | null): void => {
    revision += 1;
    const cellsTouched = touched?.map((at) => ({ row: Math.floor(at / width), column: at % width })) ?? null;
    for (const listener of listeners) listener(cellsTouched);
  };
  const isEqual = (a: Snapshot, b: Snapshot): boolean => a.raw_outcome === b.raw_outcome && a.source_value === b.source_value && a.notes === b.notes && (a.provenance === b.provenance || JSON.stringify(a.provenance) === JSON.stringify(b.provenance));
  const assertion = ({ raw_outcome, source_value, provenance }: Snapshot): HistoryStep['new'] => ({ raw_outcome, ...(source_value === null ? {} : { source_value }), ...(provenance === null ? {} : { provenance: provenance as HistoryStep['new'] }) });
  const remember = (at: number, before: Snapshot, after: Snapshot, by: string, why: string | undefined): void => {
    const base = { at: new Date(now()).toISOString(), by, kind: 'human' as const, key_id: null, reason: why ?? null, current: true };
    const list = history.get(at) ?? [];
    const add = (field: 'outcome' | 'notes', old: HistoryStep['old'], next: HistoryStep['new']): void => {
      for (const step of list) if (step.field === field) step.current = false;
      entries += 1;
      list.unshift({ entry: `e${entries}`, ...base, field, old, new: next });
    };
    const silent = { notes: null };
    if (!isEqual({ ...before, ...silent }, { ...after, ...silent })) add('outcome', assertion(before), assertion(after));
    if (before.notes !== after.notes) add('notes', before.notes, after.notes);
    history.set(at, list);
  };
  /** History of very large gestures is left out: this session serves tests and a speed check. */
  const REMEMBERED = 20_000;

  const apply = (step: Step, side: 'before' | 'after', by: string, why?: string): { done: number[]; skipped: number[] } => {
    const done: number[] = [];
    const skipped: number[] = [];
    for (const [at, change] of step) {
      const from = side === 'after' ? change.before : change.after;
      if (!isEqual(read(at), from)) {
        skipped.push(at);
        continue;
      }
      put(at, change[side]);
      if (step.size <= REMEMBERED) remember(at, from, change[side], by, why);
      done.push(at);
    }
    return { done, skipped };
  };
  const address = (at: number): CellAddress => ({ item: items[Math.floor(at / width)]?.item_uid ?? '', rule: rules[at % width] ?? '' });
  const travel = (from: typeof undoStack, to: typeof undoStack, side: 'before' | 'after'): Promise<UndoOutcome | null> => {
    const entry = from.pop();
    if (entry === undefined) return Promise.resolve(null);
    const { done, skipped } = apply(entry.step, side, 'you', side === 'before' ? 'undo' : 'redo');
    to.push(entry);
    emit(done);
    return Promise.resolve({ label: entry.label, cells: done.map(address), skipped: skipped.map(address) });
  };

  addRows(rows);
  for (const cell of cells) {
    const at = indexOf(cell);
    const { item: _item, rule: _rule, contested: isContested, ...patch } = cell;
    const before = read(at);
    put(at, { ...before, ...patch });
    remember(at, before, read(at), 'imported', undefined);
    if (isContested === true) contested.set(at, [{ ...read(at), raw_outcome: read(at).raw_outcome === 'TRUE' ? 'FALSE' : 'TRUE', source_value: null }]);
  }

  return {
    caseUid: 'memory', profile, rules,
    get items() { return items; },
    rowOf: (item) => rowIndex.get(item) ?? -1,
    columnOf: (rule) => columns.get(rule) ?? -1,
    state: (row, column) => CODES[bytes[row * width + column] ?? 3] ?? null,
    contested: (row, column) => contested.has(row * width + column),
    detail: (row, column) => details.get(row * width + column) ?? EMPTY,
    rowCounts: (row) => [rowSums[row * 4] ?? 0, rowSums[row * 4 + 1] ?? 0, rowSums[row * 4 + 2] ?? 0, rowSums[row * 4 + 3] ?? 0],
    columnCounts: (column) => [columnSums[column * 4] ?? 0, columnSums[column * 4 + 1] ?? 0, columnSums[column * 4 + 2] ?? 0, columnSums[column * 4 + 3] ?? 0],
    totals: () => {
      const sum: [number, number, number, number] = [0, 0, 0, 0];
      for (let i = 0; i < columnSums.length; i += 1) sum[i % 4]! += columnSums[i]!;
      return sum;
    },
    get revision() { return revision; },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    write: (label, addresses, patch, why) => {
      if (failure !== undefined) {
        const message = failure;
        failure = undefined;
        return Promise.reject(new Error(message));
      }
      const step: Step = new Map();
      for (const cell of addresses) {
        const at = indexOf(cell);
        const before = read(at);
        const fields: CellPatch = typeof patch === 'function' ? patch(cell) : patch;
        const after = { ...before, ...fields } as Snapshot;
        if (!isEqual(before, after)) step.set(at, { before, after });
      }
      if (step.size === 0) return Promise.resolve({ written: 0 });
      const { done } = apply(step, 'after', 'you', why);
      undoStack.push({ label, step });
      redoStack.length = 0;
      saveStatus = { ...saveStatus, savedAt: now() };
      emit(done);
      for (const listener of statusListeners) listener();
      return Promise.resolve({ written: step.size });
    },
    alternatives: (row, column) => {
      const at = row * width + column;
      return [read(at), ...(contested.get(at) ?? [])].map((value, index) => ({ field: 'outcome', entry: `head ${index}`, displayed: index === 0, known: true, ...value }));
    },
    resolve: (cell, patch, why) => {
      const at = indexOf(cell);
      const before = read(at);
      const after = { ...before, ...patch } as Snapshot;
      contested.delete(at);
      undoStack.push({ label: 'Resolve', step: new Map([[at, { before, after }]]) });
      put(at, after);
      remember(at, before, after, 'you', why);
      emit([at]);
      return Promise.resolve();
    },
    addItems: (added) => {
      const refused: { item_uid: string; message: string }[] = [];
      const accepted: Omit<ItemRow, 'position'>[] = [];
      const seen = new Set(rowIndex.keys());
      for (const { item_uid, label = '', item_type = 'item' } of added) {
        if (/[\u0000-\u001f\u200b-\u200f\u202a-\u202e]/.test(item_uid) || item_uid.length > 256) refused.push({ item_uid, message: 'Must not hold control, bidi or zero-width characters.' });
        else if (seen.has(item_uid)) refused.push({ item_uid, message: 'Is already an item of this case.' });
        else {
          seen.add(item_uid);
          accepted.push({ item_uid, label, item_type, metadata: {} });
        }
      }
      addRows(accepted);
      emit(null);
      return Promise.resolve({ added: accepted.length, refused });
    },
    undo: () => travel(undoStack, redoStack, 'before'),
    redo: () => travel(redoStack, undoStack, 'after'),
    get canUndo() { return undoStack.length > 0; },
    get canRedo() { return redoStack.length > 0; },
    history: (cell) => Promise.resolve({ steps: (history.get(indexOf(cell)) ?? []).map((step) => ({ ...step })), complete: saveStatus.connection === 'online' }),
    get saveStatus() { return saveStatus; },
    subscribeSaveStatus: (listener) => {
      statusListeners.add(listener);
      return () => statusListeners.delete(listener);
    },
    flush: () => Promise.resolve(),
    close: () => listeners.clear(),
    receive: (news) => {
      const touched = news.map((cell) => {
        const at = indexOf(cell);
        const { item: _item, rule: _rule, contested: isContested, ...patch } = cell;
        const before = read(at);
        put(at, { ...before, ...patch });
        remember(at, before, read(at), 'colleague', undefined);
        if (isContested === true) contested.set(at, [before]);
        return at;
      });
      emit(touched);
    },
    setSaveStatus: (status) => {
      saveStatus = { ...saveStatus, ...status };
      for (const listener of statusListeners) listener();
    },
    failNextWrite: (message) => {
      failure = message;
    },
    fill: (state) => {
      rowSums.fill(0);
      columnSums.fill(0);
      for (let at = 0; at < bytes.length; at += 1) {
        const code = codeOf(state(Math.floor(at / width), at % width));
        bytes[at] = code;
        rowSums[Math.floor(at / width) * 4 + code]! += 1;
        columnSums[(at % width) * 4 + code]! += 1;
      }
      emit(null);
    },
  };
}
