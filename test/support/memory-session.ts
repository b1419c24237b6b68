import { asCase } from './ids.ts';
import type { HistoryStep } from '../../src/shared/contract/v1/evidence.ts';
import { type CellState, codeOf, stateOf } from '../../src/shared/domain/outcome.ts';
import type { ProfileDocument } from '../../src/shared/domain/profile.ts';
import { columnPrefix, parseRegister } from '../../src/sync/register.ts';
import { detailAfter } from '../../src/renderer/data/editing/cell-plan.ts';
import {
  EMPTY_ITEM,
  type ItemFields,
  type ItemWrite,
  resolveItems,
} from '../../src/renderer/data/store/item-edits.ts';
import {
  type Alternative,
  type CellAddress,
  type CellDetail,
  type CellPatch,
  type Contest,
  type Edit,
  InvalidEditError,
  type ItemEdit,
  type ItemRow,
  LEAVE,
  MAX_EDIT_CELLS,
  MAX_LISTED,
  type MatrixSession,
  type SaveStatus,
  type Settling,
  type UndoOutcome,
  type EntryAuthor,
} from '../../src/renderer/data/store/port.ts';

/** Who has recorded what a scene begins with. */
const SOMEBODY = { kind: 'human' as const, name: 'somebody' };
const EMPTY: CellDetail = { source_value: null, notes: null, provenance: null };

interface Step {
  cells: Map<number, { before: Snapshot; after: Snapshot }>;
  rows: (ItemWrite & { former: unknown })[];
  /** Of a settlement: what contested. */
  contests?: Map<number, readonly OtherWriting[]>;
}
interface Snapshot extends CellDetail {
  raw_outcome: CellState;
}

/** What somebody else has written without seeing what is shown. */
export interface OtherWriting extends Partial<CellDetail> {
  raw_outcome: CellState;
  by?: string;
  reason?: string;
}

export interface MemoryCell extends Partial<CellDetail> {
  item: string;
  rule: string;
  raw_outcome?: CellState;
  /** True: another outcome and no source. */
  contested?: boolean | readonly OtherWriting[];
}

export interface MemorySession extends MatrixSession {
  /** Something that another author did: not undoable here. */
  receive(cells: readonly MemoryCell[]): void;
  receiveItems(edits: readonly ItemEdit[]): void;
  setSaveStatus(status: Partial<SaveStatus>): void;
  /** The next write is refused with these words. */
  failNextWrite(message: string): void;
  /** Sets every cell at once, without history: what a stored matrix starts with. */
  fill(state: (row: number, column: number) => CellState): void;
}

/** A `MatrixSession` in memory, for the editor's own tests. `now` makes the times in history. */
export function createMemorySession(
  profile: ProfileDocument,
  rows: readonly Omit<ItemRow, 'position'>[],
  cells: readonly MemoryCell[] = [],
  now: () => number = () => 0,
): MemorySession {
  const rules = profile.rules
    .toSorted((a, b) => a.ruleOrder - b.ruleOrder)
    .map((rule) => rule.ruleUid);
  const width = rules.length;
  const columns = new Map(rules.map((rule, index) => [rule, index]));
  /** Rows by slot, removed ones too; `order` are the slots shown. */
  const all: (ItemFields & { item_uid: string })[] = [];
  const slots = new Map<string, number>();
  let order: readonly number[] = [];
  let items: readonly ItemRow[] = [];
  const rowIndex = new Map<string, number>();
  let bytes = new Uint8Array(0);
  let rowSums = new Uint32Array(0);
  const columnSums = new Uint32Array(width * 4);
  const details = new Map<number, CellDetail>();
  /** Cells that contest, with the values that are not shown. */
  const contested = new Map<number, readonly OtherWriting[]>();
  /** Grows with each change of what contests in a cell, so that its heads have other names. */
  const turns = new Map<number, number>();
  const contend = (at: number, others: readonly OtherWriting[]): void => {
    if (others.length === 0) contested.delete(at);
    else contested.set(at, others);
    turns.set(at, (turns.get(at) ?? 0) + 1);
    saveStatus = { ...saveStatus, review: contested.size };
    for (const listener of statusListeners) listener();
  };
  const history = new Map<number, HistoryStep[]>();
  /** How often each cell was touched. */
  const versions = new Map<number, number>();
  const undoStack: { label: string; step: Step }[] = [];
  const redoStack: { label: string; step: Step }[] = [];
  const listeners = new Set<(touched: readonly { row: number; column: number }[] | null) => void>();
  const statusListeners = new Set<() => void>();
  let revision = 0;
  let entries = 0;
  let failure: string | undefined;
  let saveStatus: SaveStatus = {
    waiting: 0,
    storing: 0,
    oldest: null,
    review: 0,
    blocked: 0,
    quarantined: 0,
    savedAt: null,
    verifiedAt: null,
    access: { may: 'write' },
    connection: 'online',
    problem: null,
  };

  const arrange = (): void => {
    const sorted = all
      .map((_, slot) => slot)
      .sort(
        (a, b) =>
          all[a]!.position - all[b]!.position || (all[a]!.item_uid < all[b]!.item_uid ? -1 : 1),
      );
    order = sorted.filter((slot) => all[slot]!.exists);
    items = order.map((slot) => {
      const { item_uid, item_type, label, metadata, position } = all[slot]!;
      return { item_uid, item_type, label, metadata, position };
    });
    rowIndex.clear();
    items.forEach(({ item_uid }, row) => rowIndex.set(item_uid, row));
    count();
  };
  const count = (): void => {
    rowSums = new Uint32Array(all.length * 4);
    columnSums.fill(0);
    for (const slot of order) {
      for (let column = 0; column < width; column += 1) {
        rowSums[slot * 4 + bytes[slot * width + column]!]! += 1;
        columnSums[column * 4 + bytes[slot * width + column]!]! += 1;
      }
    }
  };
  const rowsNow = {
    get: (uid: string) => all[slots.get(uid) ?? -1],
    ordered: () =>
      all.toSorted((a, b) => a.position - b.position || (a.item_uid < b.item_uid ? -1 : 1)),
    get shown() {
      return order.length;
    },
  };
  const slotOf = (uid: string): number => {
    let slot = slots.get(uid);
    if (slot === undefined) {
      slot = all.push({ ...EMPTY_ITEM, exists: false, item_uid: uid }) - 1;
      slots.set(uid, slot);
    }
    return slot;
  };
  const makeRoom = (): void => {
    if (all.length * width <= bytes.length) return;
    const grown = new Uint8Array(Math.max(all.length, 64) * 2 * width).fill(3);
    grown.set(bytes);
    bytes = grown;
  };
  const valueOf = ({ item, field }: ItemWrite): unknown =>
    field === 'x' ? { deleted: !all[slotOf(item)]!.exists } : all[slotOf(item)]![field];
  const writeItem = ({ item, field, value }: ItemWrite): void => {
    const row = all[slotOf(item)]!;
    if (field === 'x') row.exists = !(value as { deleted: boolean }).deleted;
    else Object.assign(row, { [field]: value });
  };
  const writeItems = (writes: readonly ItemWrite[]): Step['rows'] => {
    if (writes.length === 0) return [];
    const done = writes.map((write) => ({ ...write, former: valueOf(write) }));
    for (const write of writes) writeItem(write);
    makeRoom();
    arrange();
    return done;
  };

  const indexOf = (cell: CellAddress): number => {
    const row = rowIndex.get(cell.item);
    const column = columns.get(cell.rule);
    if (row === undefined || column === undefined)
      throw new Error(`no such cell: ${cell.item}, ${cell.rule}`);
    return order[row]! * width + column;
  };
  const atCell = (at: number, visit: (row: number, column: number) => void): void => {
    const row = rowIndex.get(all[Math.floor(at / width)]?.item_uid ?? '');
    if (row !== undefined) visit(row, at % width);
  };
  const read = (at: number): Snapshot => ({
    raw_outcome: stateOf(bytes[at] ?? 3),
    ...(details.get(at) ?? EMPTY),
  });
  const put = (at: number, next: Snapshot): void => {
    const slot = Math.floor(at / width);
    const column = at % width;
    const from = bytes[at] ?? 3;
    const to = codeOf(next.raw_outcome);
    if (from !== to) {
      bytes[at] = to;
      if (all[slot]!.exists) {
        rowSums[slot * 4 + from]! -= 1;
        rowSums[slot * 4 + to]! += 1;
        columnSums[column * 4 + from]! -= 1;
        columnSums[column * 4 + to]! += 1;
      }
    }
    if (next.source_value === null && next.notes === null && next.provenance === null)
      details.delete(at);
    else
      details.set(at, {
        source_value: next.source_value,
        notes: next.notes,
        provenance: next.provenance,
      });
  };
  const emit = (touched: number[] | null): void => {
    revision += 1;
    for (const at of touched ?? []) versions.set(at, (versions.get(at) ?? 0) + 1);
    const cellsTouched =
      touched?.map((at) => ({
        row: rowIndex.get(all[Math.floor(at / width)]!.item_uid) ?? -1,
        column: at % width,
      })) ?? null;
    for (const listener of listeners) listener(cellsTouched);
  };
  const isEqual = (a: Snapshot, b: Snapshot): boolean =>
    a.raw_outcome === b.raw_outcome &&
    a.source_value === b.source_value &&
    a.notes === b.notes &&
    (a.provenance === b.provenance ||
      JSON.stringify(a.provenance) === JSON.stringify(b.provenance));
  const assertion = ({ raw_outcome, source_value, provenance }: Snapshot): HistoryStep['new'] => ({
    raw_outcome,
    ...(source_value === null ? {} : { source_value }),
    ...(provenance === null ? {} : { provenance: provenance as HistoryStep['new'] }),
  });
  const remember = (
    at: number,
    before: Snapshot,
    after: Snapshot,
    by: string,
    why: string | undefined,
  ): void => {
    const time = new Date(now()).toISOString();
    const base = {
      at: time,
      received_at: time,
      clock_differs: false,
      sent_by: null,
      relayed: false,
      by,
      kind: 'human' as const,
      key_id: null,
      reason: why ?? null,
      recorded_by: { kind: 'human' as const, name: by },
      restores: null,
      current: true,
    };
    const list = history.get(at) ?? [];
    const add = (
      field: 'outcome' | 'notes',
      old: HistoryStep['old'],
      next: HistoryStep['new'],
    ): void => {
      for (const step of list) if (step.field === field) step.current = false;
      entries += 1;
      list.unshift({ entry: `e${entries}`, ...base, field, old, new: next });
    };
    const silent = { notes: null };
    if (!isEqual({ ...before, ...silent }, { ...after, ...silent }))
      add('outcome', assertion(before), assertion(after));
    if (before.notes !== after.notes) add('notes', before.notes, after.notes);
    history.set(at, list);
  };
  /** History of very large gestures is left out: this session serves tests and a speed check. */
  const REMEMBERED = 20_000;

  const address = (at: number): CellAddress => ({
    item: all[Math.floor(at / width)]?.item_uid ?? '',
    rule: rules[at % width] ?? '',
  });
  const putAll = (
    step: Step,
    side: 'before' | 'after',
    why?: string,
  ): { done: number[]; skipped: number[] } => {
    const done: number[] = [];
    const skipped: number[] = [];
    for (const [at, change] of step.cells) {
      const from = side === 'after' ? change.before : change.after;
      if (!isEqual(read(at), from)) {
        skipped.push(at);
        continue;
      }
      put(at, change[side]);
      if (step.cells.size <= REMEMBERED) remember(at, from, change[side], 'you', why);
      done.push(at);
    }
    return { done, skipped };
  };
  const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  /** A row that somebody else has recorded in since is not hidden. */
  const isUsed = (item: string, step: Step): boolean =>
    rules.some((_, column) => {
      const at = slotOf(item) * width + column;
      return bytes[at] !== 3 && !step.cells.has(at);
    });
  const travel = (
    from: typeof undoStack,
    to: typeof undoStack,
    side: 'before' | 'after',
  ): Promise<UndoOutcome | null> => {
    const entry = from.pop();
    if (entry === undefined) return Promise.resolve(null);
    const { step, label } = entry;
    const taken: ItemWrite[] = [];
    const items = new Set<string>();
    const skippedItems = new Set<string>();
    for (const { item, field, value, former } of step.rows) {
      const [expected, wanted] = side === 'before' ? [value, former] : [former, value];
      const isNew = field === 'x' && (former as { deleted: boolean }).deleted;
      if (
        !isSame(valueOf({ item, field, value }), expected) ||
        (isNew && side === 'before' && isUsed(item, step))
      )
        skippedItems.add(item);
      else {
        taken.push({ item, field, value: wanted });
        items.add(item);
      }
    }
    const kept = taken.filter(
      ({ item }) =>
        !(
          skippedItems.has(item) && step.rows.some((row) => row.item === item && row.field === 'x')
        ),
    );
    writeItems(kept);
    for (const item of skippedItems) items.delete(item);
    const { done, skipped } = putAll(step, side, side === 'before' ? 'undo' : 'redo');
    for (const at of done)
      if (step.contests?.has(at) === true)
        contend(at, side === 'before' ? (step.contests.get(at) ?? []) : []);
    to.push(entry);
    emit(step.rows.length > 0 ? null : done);
    const cells = new Set(done);
    return Promise.resolve({
      label,
      cells: done.slice(0, MAX_LISTED).map(address),
      count: done.length,
      skipped: skipped.slice(0, MAX_LISTED).map(address),
      skippedCount: skipped.length,
      items: [...items],
      skippedItems: [...skippedItems],
      includes: ({ item, rule }) => cells.has(slotOf(item) * width + (columns.get(rule) ?? -1)),
    });
  };
  const fault = (): Error | undefined => {
    const message = failure;
    failure = undefined;
    return message === undefined ? undefined : new Error(message);
  };
  /**
   * The cells of an edit, with what they are to become; a cell named twice keeps its first wish.
   */
  const cellsOf = (
    { blocks = [], cells: single = [] }: Edit,
    cellAt: (cell: CellAddress) => number | undefined,
  ): Step['cells'] => {
    const wanted: Step['cells'] = new Map();
    const seen = new Set<number>();
    const want = (at: number, patch: CellPatch): void => {
      if (seen.has(at)) return;
      seen.add(at);
      const before = read(at);
      const raw_outcome = patch.raw_outcome === undefined ? before.raw_outcome : patch.raw_outcome;
      const after: Snapshot = {
        raw_outcome,
        ...detailAfter(before, patch, raw_outcome === before.raw_outcome),
      };
      if (!isEqual(before, after)) wanted.set(at, { before, after });
    };
    blocks.forEach((block, index) => {
      if (
        block.states instanceof Uint8Array &&
        block.states.length !== block.items.length * block.rules.length
      )
        throw new InvalidEditError(
          'blocks',
          index,
          'The number of outcomes is not that of items by rules.',
        );
      block.items.forEach((item, row) =>
        block.rules.forEach((rule, column) => {
          const at = cellAt({ item, rule });
          if (at === undefined)
            throw new InvalidEditError('blocks', index, `${item}, ${rule}: is not in the matrix.`);
          const code =
            block.states instanceof Uint8Array
              ? block.states[row * block.rules.length + column]!
              : codeOf(block.states);
          if (code !== LEAVE && code > 3)
            throw new InvalidEditError('blocks', index, `${code} is no outcome.`);
          if (code !== LEAVE) want(at, { raw_outcome: stateOf(code) });
        }),
      );
    });
    single.forEach(({ patch, ...cell }, index) => {
      const at = cellAt(cell);
      if (at === undefined)
        throw new InvalidEditError(
          'cells',
          index,
          `${cell.item}, ${cell.rule}: is not in the matrix.`,
        );
      want(at, patch);
    });
    return wanted;
  };
  const applyEdit = (edit: Edit): { items: number; cells: number } => {
    const size =
      (edit.cells?.length ?? 0) +
      (edit.blocks ?? []).reduce((sum, block) => sum + block.items.length * block.rules.length, 0);
    if (size > MAX_EDIT_CELLS)
      throw new InvalidEditError(
        edit.blocks === undefined ? 'cells' : 'blocks',
        0,
        `One step changes at most ${MAX_EDIT_CELLS.toLocaleString('en')} cells; this would be ${size.toLocaleString('en')}.`,
      );
    const { writes, problems } = resolveItems(rowsNow, edit.items ?? []);
    const [problem] = problems;
    if (problem !== undefined) throw new InvalidEditError('items', problem.index, problem.message);
    // Judged before anything changes: rows that the edit adds have their slot, rows that it removes
    // are gone.
    const shown = new Map(
      writes.flatMap(({ item, field, value }) =>
        field === 'x' ? [[item, !(value as { deleted: boolean }).deleted] as const] : [],
      ),
    );
    const cellAt = ({ item, rule }: CellAddress): number | undefined => {
      const column = columns.get(rule);
      if (column === undefined || !(shown.get(item) ?? rowIndex.has(item))) return undefined;
      const slot = slotOf(item);
      makeRoom();
      return slot * width + column;
    };
    const step: Step = { cells: cellsOf(edit, cellAt), rows: [] };
    step.rows = writeItems(writes);
    if (step.cells.size === 0 && step.rows.length === 0) return { items: 0, cells: 0 };
    const { done } = putAll(step, 'after', edit.why);
    undoStack.push({ label: edit.label, step });
    redoStack.length = 0;
    saveStatus = { ...saveStatus, savedAt: now() };
    emit(step.rows.length > 0 ? null : done);
    for (const listener of statusListeners) listener();
    return { items: new Set(step.rows.map((row) => row.item)).size, cells: step.cells.size };
  };

  writeItems(
    rows.flatMap((row, position) => [
      { item: row.item_uid, field: 'x' as const, value: { deleted: false } },
      ...(['item_type', 'label', 'metadata'] as const).map((field) => ({
        item: row.item_uid,
        field,
        value: row[field],
      })),
      { item: row.item_uid, field: 'position' as const, value: position + 1 },
    ]),
  );
  for (const cell of cells) {
    const at = indexOf(cell);
    const { item: _item, rule: _rule, contested: isContested, ...patch } = cell;
    const before = read(at);
    put(at, { ...before, ...patch });
    remember(at, before, read(at), 'imported', undefined);
    if (isContested === true)
      contend(at, [
        {
          ...read(at),
          raw_outcome: read(at).raw_outcome === 'TRUE' ? 'FALSE' : 'TRUE',
          source_value: null,
        },
      ]);
    else if (isContested !== undefined && isContested !== false) contend(at, isContested);
  }

  const addressOf = (kind: 'assertion' | 'notes', at: number): string =>
    columnPrefix(kind, profile.profileUid, profile.version, rules[at % width] ?? '') +
    (all[Math.floor(at / width)]?.item_uid ?? '');
  const cellOfReg = (reg: string): { at: number; kind: 'assertion' | 'notes' } | undefined => {
    const register = parseRegister(reg);
    return register?.kind === 'assertion' || register?.kind === 'notes'
      ? { at: indexOf(register), kind: register.kind }
      : undefined;
  };
  const writings = (at: number): Snapshot[] => [
    read(at),
    ...(contested.get(at) ?? []).map((other): Snapshot => ({ ...EMPTY, ...other })),
  ];
  const kindOf = (at: number): Contest['kind'] => {
    const all = writings(at);
    const differs = (part: 'raw_outcome' | 'source_value'): boolean =>
      all.some((one) => one[part] !== all[0]![part]);
    return differs('raw_outcome') ? 'value' : differs('source_value') ? 'source' : 'notes';
  };
  const headsIn = (at: number, kind: 'assertion' | 'notes'): Alternative[] =>
    writings(at).map((said, index) => ({
      ...said,
      reg: addressOf(kind, at),
      field: kind === 'notes' ? 'notes' : 'outcome',
      entry: `${index} ${turns.get(at) ?? 0} ${addressOf('assertion', at)}#${kind === 'notes' ? 1 : 0}`,
      displayed: index === 0,
      value: kind === 'notes' ? said.notes : assertion(said),
      notes: kind === 'notes' ? said.notes : null,
    }));
  const settleAll = (
    settlings: readonly Settling[],
    why: string,
    label: string,
  ): { settled: number; left: string[] } => {
    const step: Step = { cells: new Map(), rows: [], contests: new Map() };
    const left: string[] = [];
    for (const { reg, heads, value } of settlings) {
      const found = cellOfReg(reg);
      const names =
        found === undefined ? [] : headsIn(found.at, found.kind).map((head) => head.entry);
      if (
        found === undefined ||
        !contested.has(found.at) ||
        names.length !== heads.length ||
        !names.every((name) => heads.includes(name))
      ) {
        left.push(reg);
        continue;
      }
      const { at, kind } = found;
      const before = read(at);
      const after =
        kind === 'notes'
          ? { ...before, notes: value as string | null }
          : { ...before, source_value: null, provenance: null, ...(value as Partial<Snapshot>) };
      step.cells.set(at, { before, after });
      step.contests?.set(at, contested.get(at) ?? []);
    }
    for (const [at, { before, after }] of step.cells) {
      put(at, after);
      contend(at, []);
      remember(at, before, after, 'you', why);
    }
    if (step.cells.size > 0) {
      undoStack.push({ label, step });
      redoStack.length = 0;
    }
    emit([...step.cells.keys()]);
    return { settled: step.cells.size, left };
  };

  return {
    caseUid: asCase('memory'),
    profile,
    documentDigest: null,
    suggest: async () => ({ suggested: 0, left: 0 }),
    noteApproved: () => undefined,
    rules,
    get items() {
      return items;
    },
    removedItems: () =>
      rowsNow
        .ordered()
        .filter((row) => !row.exists)
        .map(({ exists: _, ...row }) => row),
    rowOf: (item) => rowIndex.get(item) ?? -1,
    columnOf: (rule) => columns.get(rule) ?? -1,
    state: (row, column) => stateOf(bytes[(order[row] ?? -1) * width + column] ?? 3),
    cellVersion: (row, column) => {
      const at = (order[row] ?? 0) * width + column;
      return `${versions.get(at) ?? 0}/${history.get(at)?.length ?? 0}`;
    },
    contested: (row, column) => contested.has((order[row] ?? 0) * width + column),
    recordedBy: (row, column) => {
      const at = (order[row] ?? -1) * width + column;
      return (
        history.get(at)?.find((step) => step.field === 'outcome' && step.current)?.recorded_by ??
        ((bytes[at] ?? 3) === 3 ? null : SOMEBODY)
      );
    },
    detail: (row, column) => details.get((order[row] ?? -1) * width + column) ?? EMPTY,
    eachDetail: (visit) => {
      for (const [at, detail] of details) atCell(at, (row, column) => visit(row, column, detail));
    },
    eachContested: (visit) => {
      for (const at of contested.keys()) atCell(at, visit);
    },
    rowCounts: (row) => {
      const at = (order[row] ?? -1) * 4;
      return [rowSums[at] ?? 0, rowSums[at + 1] ?? 0, rowSums[at + 2] ?? 0, rowSums[at + 3] ?? 0];
    },
    columnCounts: (column) => [
      columnSums[column * 4] ?? 0,
      columnSums[column * 4 + 1] ?? 0,
      columnSums[column * 4 + 2] ?? 0,
      columnSums[column * 4 + 3] ?? 0,
    ],
    totals: () => {
      const sum: [number, number, number, number] = [0, 0, 0, 0];
      for (let i = 0; i < columnSums.length; i += 1) sum[i % 4]! += columnSums[i]!;
      return sum;
    },
    get revision() {
      return revision;
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    subscribeNews: () => () => undefined,
    write: async (label, addresses, patch, why) => {
      const error = fault();
      if (error !== undefined) throw error;
      const cells = addresses.map((cell) => ({
        ...cell,
        patch: typeof patch === 'function' ? patch(cell) : patch,
      }));
      return { written: applyEdit({ label, cells, ...(why === undefined ? {} : { why }) }).cells };
    },
    apply: async (edit) => {
      const error = fault();
      if (error !== undefined) throw error;
      return applyEdit(edit);
    },
    check: (edits) => resolveItems(rowsNow, edits).problems,
    alternatives: (row, column) => {
      const at = (order[row] ?? 0) * width + column;
      const notes = headsIn(at, 'notes');
      return [
        ...headsIn(at, 'assertion'),
        ...(notes.every(({ notes: text }) => text === null) ? [] : notes),
      ];
    },
    contests: () => {
      const kinds = ['value', 'source', 'notes'];
      const found: (Contest & { row: number })[] = [];
      for (const at of contested.keys()) {
        const kind = kindOf(at);
        atCell(at, (row, column) =>
          found.push({
            reg: addressOf(kind === 'notes' ? 'notes' : 'assertion', at),
            item: items[row]!.item_uid,
            rule: rules[column]!,
            field: kind === 'notes' ? 'notes' : 'outcome',
            kind,
            row,
          }),
        );
      }
      found.sort(
        (a, b) =>
          kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
          a.row - b.row ||
          columns.get(a.rule ?? '')! - columns.get(b.rule ?? '')!,
      );
      return found.map(({ row: _, ...contest }) => contest);
    },
    contestCount: () => contested.size,
    editsUnder: () => [],
    headsOf: (reg) => {
      const found = cellOfReg(reg);
      return found === undefined || !contested.has(found.at) ? [] : headsIn(found.at, found.kind);
    },
    citing: () => Promise.resolve(new Map()),
    firstSaid: (entry) => entry,
    writers: (entries) =>
      Promise.resolve(
        new Map(
          entries.map((entry): [string, EntryAuthor] => {
            const [, place, reg] = /^(\d+) \d+ (.*)#\d$/s.exec(entry) ?? [];
            const [index, at] = [Number(place), cellOfReg(reg ?? '')?.at ?? -1];
            const other = contested.get(at)?.[index - 1];
            const when = new Date(now() + index * 3_600_000).toISOString();
            return [
              entry,
              {
                entry,
                at: when,
                by: other === undefined ? 'You' : (other.by ?? 'Colleague'),
                kind: 'human',
                reason: other?.reason ?? null,
                mine: other === undefined,
                here: other === undefined,
                restored: null,
              },
            ];
          }),
        ),
      ),
    settle: async (settlings, why, label) => {
      const error = fault();
      if (error !== undefined) throw error;
      return settleAll(settlings, why, label);
    },
    undo: () => travel(undoStack, redoStack, 'before'),
    undoLatest: async (steps) => {
      for (let left = await steps; left > 0; left -= 1)
        await travel(undoStack, redoStack, 'before');
    },
    redo: () => travel(redoStack, undoStack, 'after'),
    get canUndo() {
      return undoStack.length > 0;
    },
    get canRedo() {
      return redoStack.length > 0;
    },
    history: (cell) =>
      Promise.resolve({
        steps: (history.get(indexOf(cell)) ?? []).map((step) => ({ ...step })),
        complete: saveStatus.connection === 'online',
      }),
    get saveStatus() {
      return saveStatus;
    },
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
        if (isContested === true) contend(at, [before]);
        else if (isContested !== undefined && isContested !== false) contend(at, isContested);
        return at;
      });
      emit(touched);
    },
    receiveItems: (edits) => {
      writeItems(resolveItems(rowsNow, edits).writes);
      emit(null);
    },
    setSaveStatus: (status) => {
      saveStatus = { ...saveStatus, ...status };
      for (const listener of statusListeners) listener();
    },
    failNextWrite: (message) => {
      failure = message;
    },
    fill: (state) => {
      order.forEach((slot, row) => {
        for (let column = 0; column < width; column += 1)
          bytes[slot * width + column] = codeOf(state(row, column));
      });
      count();
      emit(null);
    },
  };
}
