import { ItemPlan } from './item-plan.ts';
import { alternativesOf, namesOfHeads } from './alternatives.ts';
import { CellPlan, InvalidPatchError } from './cell-plan.ts';
import { cut, type Draft, type EntrySource } from './drafts.ts';
import { cellHistory } from './history.ts';
import { type Inverse, invert, Journal, rootInverse } from './journal.ts';
import { codeOf, stateOf } from './matrix-store.ts';
import { type CellAddress, type CellPatch, type Edit, InvalidEditError, type ItemEdit, type ItemRow, LEAVE, MAX_GESTURE_CELLS, MAX_LISTED, type MatrixSession, type SaveStatus, type UndoOutcome } from './port.ts';
import { resolveItems, type Rows } from './item-edits.ts';
import type { Replica } from './replica.ts';
import { type Roots, type Step, stepToRow } from './steps.ts';

export interface Person { user_id: string; name: string }

const LONG_WAIT_MS = 10 * 60_000;
const MAX_WHY = 2_000;

const byPosition = (a: ItemRow, b: ItemRow): number => a.position - b.position || (a.item_uid < b.item_uid ? -1 : 1);
const toRow = ({ item_uid, item_type, label, metadata, position }: ItemRow): ItemRow => ({ item_uid, item_type, label, metadata, position });

/** The session that the editor works with: synchronous reads of memory, gestures into it, and what became of them. */
export async function createMatrixSession(replica: Replica, person: () => Person): Promise<MatrixSession> {
  const { row, ports } = replica;
  const journal = new Journal(replica.db, row.id, () => replica.state.names);
  const statusListeners = new Set<() => void>();
  let items: readonly ItemRow[] = [];
  let itemsOf: unknown = null;
  let status: SaveStatus | null = null;
  /** Undos and redos asked for and not shown yet; a gesture made meanwhile comes after them. */
  let steps: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  await journal.load();
  replica.onStatus = () => {
    status = null;
    for (const listener of [...statusListeners]) listener();
  };
  replica.onReload = () => void journal.load().catch(() => undefined);

  function readStatus(): SaveStatus {
    const { stored, writer, loop, heard, presence } = replica;
    const online = presence.leads ? loop.online : (heard?.online ?? true);
    const ages = [stored.oldest, writer.pendingSince].filter((at) => at !== null);
    const oldest = ages.length === 0 ? null : Math.min(...ages);
    const late = online && oldest !== null && ports.timers.now() - oldest > LONG_WAIT_MS ? 'Changes have waited for more than ten minutes although the server answers.' : null;
    const damaged = stored.damaged > 0 ? `${stored.damaged} of your changes ${stored.damaged === 1 ? 'was' : 'were'} refused by the server and kept here.` : null;
    return {
      waiting: stored.waiting + writer.pending,
      storing: writer.pending + waiting,
      oldest,
      savedAt: replica.row.last_ok,
      connection: online ? 'online' : 'offline',
      problem: replica.storageProblem ?? (presence.leads ? loop.problem : (heard?.problem ?? null)) ?? damaged ?? late,
    };
  }

  /** Fixes a gesture's place in time, its heads and its cut; the caller shows it, then hands it to the writer. */
  function draftOf(source: EntrySource, why: string | null): Draft {
    const at = ports.timers.now();
    const pieces = cut(source, why).map(({ from, to }) => {
      const hlc = ports.clock.next();
      return { ref: replica.state.names.reserve(hlc), hlc, from, to, sealed: null };
    });
    return { caseUid: row.case_uid, txn: `${pieces[0]?.hlc ?? ''}-${ports.seal.randomHex(8)}`, at, why, user: person().user_id, source, pieces };
  }
  function show(): void {
    replica.state.arrange();
    replica.state.store.publish();
  }
  function requireOpen(): void {
    if (replica.closed) throw new Error('The matrix was closed.');
  }

  /** Shows a plan and stores it; resolves when it is in the outbox. `back` is the step that it takes back. */
  async function commit(plan: CellPlan, about: Pick<Step, 'label' | 'why' | 'stack'>, back?: { step: Step; origin: Inverse['origin']; roots: Roots }): Promise<void> {
    if (back !== undefined) journal.drop(back.step.id);
    const goneGestures = back === undefined ? [] : [back.step.id];
    if (plan.count === 0) return back === undefined ? undefined : replica.writer.enqueue({ goneGestures });
    const draft = draftOf(plan, about.why);
    const own = plan.apply(draft.pieces, { id: draft.txn, at: draft.at, ...about });
    if (back !== undefined) rootInverse(own, back.step, back.origin, back.roots);
    const { gone, past } = journal.add(own, back === undefined);
    show();
    const { names } = replica.state;
    const stored = replica.writer.enqueue({ draft, gesture: () => stepToRow(own, row.id, names), goneGestures: [...goneGestures, ...gone], pastGestures: past, rows: replica.state.takeDirty() });
    replica.onStatus();
    await stored;
  }

  function planOf(cells: readonly CellAddress[], patch: CellPatch | ((cell: CellAddress) => CellPatch), resolves: ReturnType<typeof namesOfHeads> | null = null): CellPlan {
    const { state } = replica;
    const plan = new CellPlan(state, resolves);
    for (const address of cells) {
      const slot = state.slots.get(address.item);
      const column = state.columns.get(address.rule);
      if (slot === undefined || column === undefined || (state.store.rows[slot] ?? -1) < 0) continue;
      const cell = slot * state.store.columns + column;
      const wish = typeof patch === 'function' ? patch(address) : patch;
      const detail = state.detail(cell);
      const code = wish.raw_outcome === undefined ? (state.store.raw[cell] as number) : codeOf(wish.raw_outcome);
      if (wish.source_value === undefined && wish.notes === undefined && wish.provenance === undefined) plan.want(cell, code, detail);
      else {
        const { source_value = detail.source_value, notes = detail.notes, provenance = detail.provenance } = wish;
        plan.want(cell, code, { source_value, notes, provenance });
      }
    }
    return plan;
  }

  /** Acts in the order in which they were asked for; the next one waits until this is shown, not until it is stored. */
  function inTurn<T>(act: () => Promise<{ result: T; stored: Promise<void> }>): Promise<T> {
    waiting += 1;
    replica.onStatus();
    const turn = steps.then(act).finally(() => {
      waiting -= 1;
      replica.onStatus();
    });
    steps = turn.catch(() => undefined);
    return turn.then(async ({ result, stored }) => {
      await stored;
      return result;
    });
  }
  /** A step that has left memory may still be on its way to the disk. */
  async function stepOf(id: string): Promise<Step | undefined> {
    const step = await journal.get(id);
    if (step !== undefined) return step;
    await replica.writer.settled();
    return journal.get(id);
  }

  /** Undo and redo are one act on either stack, one at a time. */
  function takeBack(from: 'undo' | 'redo'): Promise<UndoOutcome | null> {
    return inTurn(async () => {
      for (;;) {
        requireOpen();
        const { state } = replica;
        const id = journal[from].at(-1);
        if (id === undefined) return { result: null, stored: Promise.resolve() };
        const [step, roots] = await Promise.all([stepOf(id), journal.roots()]);
        // Read again meanwhile: the numbers just read are of the former replica.
        if (replica.state !== state) continue;
        if (step === undefined) {
          journal.drop(id);
          continue;
        }
        const { plan, cells, skipped, origin } = invert(state, step, roots);
        const stored = commit(plan, { label: step.label, why: null, stack: from === 'undo' ? 'redo' : 'undo' }, { step, origin, roots });
        const includes = (cell: CellAddress): boolean => cells.some(({ item, rule }) => item === cell.item && rule === cell.rule);
        return { result: { label: step.label, cells: cells.slice(0, MAX_LISTED), count: cells.length, skipped: skipped.slice(0, MAX_LISTED), skippedCount: skipped.length, items: [], skippedItems: [], includes }, stored };
      }
    });
  }

  const rowsNow = (): Rows => {
    const { state } = replica;
    return {
      get: (uid) => state.items[state.slots.get(uid) ?? -1],
      ordered: () => state.items.toSorted(byPosition),
      shown: state.store.order.length,
    };
  };
  const applyNow = async (edit: Edit): Promise<{ items: number; cells: number }> => {
    const size = (edit.cells?.length ?? 0) + (edit.blocks ?? []).reduce((sum, block) => sum + block.items.length * block.rules.length, 0);
    if (size > MAX_GESTURE_CELLS) throw new InvalidEditError(edit.blocks === undefined ? 'cells' : 'blocks', 0, `One step changes at most ${MAX_GESTURE_CELLS.toLocaleString('en')} cells; this would be ${size.toLocaleString('en')}.`);
    const { writes, problems } = resolveItems(rowsNow(), edit.items ?? []);
    const [problem] = problems;
    if (problem !== undefined) throw new InvalidEditError('items', problem.index, problem.message);
    const stored: Promise<void>[] = [];
    if (writes.length > 0) {
      const plan = new ItemPlan(replica.state, writes);
      const draft = draftOf(plan, edit.why ?? null);
      plan.apply(draft.pieces);
      show();
      stored.push(replica.writer.enqueue({ draft, rows: replica.state.takeDirty() }));
    }
    const cells: (CellAddress & { patch: CellPatch })[] = [];
    for (const block of edit.blocks ?? []) {
      block.items.forEach((item, row) => block.rules.forEach((rule, column) => {
        const code = block.states instanceof Uint8Array ? (block.states[row * block.rules.length + column] ?? LEAVE) : codeOf(block.states);
        if (code !== LEAVE) cells.push({ item, rule, patch: { raw_outcome: stateOf(code) } });
      }));
    }
    cells.push(...(edit.cells ?? []));
    const patches = new Map(cells.map(({ patch, ...cell }) => [cell, patch]));
    const plan = planOf([...patches.keys()], (cell) => patches.get(cell) ?? {});
    if (plan.count > 0) stored.push(commit(plan, { label: edit.label, why: edit.why ?? null, stack: 'undo' }));
    await Promise.all(stored);
    return { items: new Set(writes.map(({ item }) => item)).size, cells: plan.cells.length };
  };

  const cellAt = (r: number, column: number): number => replica.state.store.cellOf(r, column);
  const atCell = (cell: number, visit: (r: number, column: number) => void): void => {
    const { columns, rows } = replica.state.store;
    const r = rows[Math.floor(cell / columns)] ?? -1;
    if (r >= 0) visit(r, cell % columns);
  };
  const session: MatrixSession = {
    caseUid: row.case_uid,
    profile: replica.profile,
    rules: row.rules,
    get items() {
      const { store } = replica.state;
      if (itemsOf !== store.order) {
        itemsOf = store.order;
        items = Array.from(store.order, (slot) => toRow(replica.state.items[slot]!));
      }
      return items;
    },
    removedItems: () => replica.state.items.filter((item) => !item.exists).sort(byPosition).map(toRow),
    rowOf: (uid) => replica.state.store.rows[replica.state.slots.get(uid) ?? -1] ?? -1,
    columnOf: (uid) => replica.state.columns.get(uid) ?? -1,
    state: (r, column) => stateOf(replica.state.store.codeAt(r, column)),
    contested: (r, column) => replica.state.contested.has(cellAt(r, column)),
    detail: (r, column) => replica.state.detail(cellAt(r, column)),
    eachDetail: (visit) => {
      for (const [cell, detail] of replica.state.details) atCell(cell, (r, column) => visit(r, column, detail));
    },
    eachContested: (visit) => {
      for (const cell of replica.state.contested) atCell(cell, visit);
    },
    rowCounts: (r) => replica.state.store.rowCounts(r),
    columnCounts: (column) => replica.state.store.columnCounts(column),
    totals: () => replica.state.store.totals(),
    get revision() {
      return replica.state.store.revision;
    },
    subscribe: (listener) => replica.state.store.subscribe(listener),
    async write(label, cells, patch, why) {
      requireOpen();
      if (why !== undefined && why.length > MAX_WHY) throw new InvalidPatchError(`The reason must have at most ${MAX_WHY} characters.`);
      const act = (): { result: { written: number }; stored: Promise<void> } => {
        requireOpen();
        const plan = planOf(cells, patch);
        const written = plan.cells.length;
        return { result: { written }, stored: written > 0 ? commit(plan, { label, why: why ?? null, stack: 'undo' }) : Promise.resolve() };
      };
      if (waiting > 0) return inTurn(async () => act());
      const { result, stored } = act();
      await stored;
      return result;
    },
    alternatives: (r, column) => alternativesOf(replica.state, cellAt(r, column)),
    async resolve(address, patch, why) {
      requireOpen();
      if (why.trim() === '' || why.length > MAX_WHY) throw new InvalidPatchError(`A reason of 1 to ${MAX_WHY} characters is needed.`);
      // What is cited must have its name by now.
      replica.writer.sealAll();
      const plan = planOf([address], patch, namesOfHeads(replica.state, address));
      await commit(plan, { label: 'Resolve', why, stack: 'undo' });
    },
    async apply(edit) {
      requireOpen();
      return applyNow(edit);
    },
    check: (edits) => resolveItems(rowsNow(), edits).problems,
    async addItems(wanted) {
      requireOpen();
      const edits = wanted.map((item): ItemEdit => ({ do: 'add', ...item }));
      const { problems } = resolveItems(rowsNow(), edits);
      const refused = new Set(problems.map(({ index }) => index));
      await applyNow({ label: 'Add items', items: edits.filter((_, index) => !refused.has(index)) });
      return { added: wanted.length - refused.size, refused: problems.map(({ index, message }) => ({ item_uid: wanted[index]?.item_uid ?? '', message })) };
    },
    undo: () => takeBack('undo'),
    redo: () => takeBack('redo'),
    get canUndo() {
      return journal.undo.length > 0;
    },
    get canRedo() {
      return journal.redo.length > 0;
    },
    async history(cell) {
      await replica.writer.settled();
      const { state } = replica;
      const isHead = (name: string): boolean => {
        const slot = state.slots.get(cell.item);
        const column = state.columns.get(cell.rule);
        if (slot === undefined || column === undefined) return false;
        return (['assertion', 'notes'] as const).some((kind) => {
          const target = { kind, cell: slot * state.store.columns + column };
          const head = state.head(target);
          const others = state.further.get(state.address(target))?.others ?? [];
          return (head !== null && state.headName(head) === name) || others.some((other) => state.headName([other.ref, other.index]) === name);
        });
      };
      const rows = () => replica.db.outbox.where('case_uid').equals(row.case_uid).sortBy('n');
      return cellHistory(replica.client, rows, row, cell, isHead, person().name);
    },
    get saveStatus() {
      status ??= readStatus();
      return status;
    },
    subscribeSaveStatus(listener) {
      statusListeners.add(listener);
      return () => void statusListeners.delete(listener);
    },
    flush(ms) {
      replica.nudge('person');
      if (session.saveStatus.waiting === 0) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const cancel = ports.timers.after(ms, () => {
          stop();
          reject(new Error(session.saveStatus.problem ?? 'Not all changes have reached the server yet.'));
        });
        const stop = session.subscribeSaveStatus(() => {
          if (session.saveStatus.waiting > 0) return;
          stop();
          cancel();
          resolve();
        });
      });
    },
    close: () => replica.close(),
  };
  return session;
}
