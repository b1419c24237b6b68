import { stateOf } from '../../shared/domain/outcome.ts';
import { InvalidPatchError } from './editing/cell-plan.ts';
import {
  alternativesUnder,
  contestCount,
  contestsOf,
  headsOf,
  placeOf,
  planSettling,
} from './editing/contests.ts';
import { planCells, planEdit, rowsOfState } from './editing/edit-plan.ts';
import { GesturePlan } from './editing/gesture-plan.ts';
import { createGestures } from './gestures.ts';
import { cellHistory } from './api/history.ts';
import { Journal } from './undo/journal.ts';
import { resolveItems } from './store/item-edits.ts';
import { unsentRows } from './sync/outbox.ts';
import type { ItemRow, MatrixSession, SaveStatus } from './store/port.ts';
import type { Replica } from './sync/replica.ts';
import { Telling } from './replica/telling.ts';
import { TurnPlan } from './editing/turn-plan.ts';
import { Writers } from './sync/writers.ts';

const MAX_WHY = 2_000;
/**
 * Delay before a new status is reported, ms: a key press changes it eight times on its way to the
 * server.
 */
const TOLD_AFTER_MS = 40;

const toRow = ({ item_uid, item_type, label, metadata, position }: ItemRow): ItemRow => ({
  item_uid,
  item_type,
  label,
  metadata,
  position,
});

/**
 * The session that the editor works with: synchronous reads from memory, gestures, and what became
 * of them.
 */
export async function createMatrixSession(
  replica: Replica,
  person: { user_id: string; name: string },
): Promise<MatrixSession> {
  const { row, ports } = replica;
  const journal = new Journal(replica.db, row.id, () => replica.state.names);
  const writers = new Writers(replica, () => person);
  const gestures = createGestures(replica, person, journal);
  const { commit, gesture, takeBack } = gestures;
  let items: readonly ItemRow[] = [];
  let itemsOf: unknown = null;
  let status: SaveStatus | null = null;
  await journal.load();
  const telling = new Telling({
    after: (ms, callback) => ports.timers.after(ms, callback),
    ms: TOLD_AFTER_MS,
    isUnsaved: () => replica.writer.pending + replica.stored.waiting > 0,
  });
  replica.onStatus = () => {
    status = null;
    telling.stir();
  };
  replica.onReload = () =>
    void journal.load().then(
      () => replica.onStatus(),
      () => undefined,
    );

  function readStatus(): SaveStatus {
    const { stored, writer, standing } = replica;
    const isHeld =
      standing.held !== null ||
      (standing.access.may === 'read' && standing.access.because === 'ended');
    const ages = [isHeld ? null : stored.oldest, writer.pendingSince].filter((at) => at !== null);
    return {
      waiting: (isHeld ? 0 : stored.waiting) + writer.pending,
      storing: writer.pending + gestures.waiting,
      oldest: ages.length === 0 ? null : Math.min(...ages),
      review: contestCount(replica.state),
      parked: stored.damaged + (isHeld ? stored.waiting : 0),
      quarantined: stored.quarantined,
      savedAt: replica.row.last_ok,
      verifiedAt: replica.verifiedAt,
      access: standing.access,
      connection: replica.online ? 'online' : 'offline',
      problem: replica.problem,
    };
  }

  function requireWhy(why: string | undefined): void {
    if (why !== undefined && why.length > MAX_WHY)
      throw new InvalidPatchError(`The reason must have at most ${MAX_WHY} characters.`);
  }

  const cellAt = (r: number, column: number): number => replica.state.store.cellOf(r, column);
  const atCell = (cell: number, visit: (r: number, column: number) => void): void => {
    const { columns, rows } = replica.state.store;
    const r = rows[Math.floor(cell / columns)] ?? -1;
    if (r >= 0) visit(r, cell % columns);
  };
  const session: MatrixSession = {
    caseUid: row.case_uid,
    profile: replica.profile,
    get documentDigest() {
      return replica.state.document?.digest ?? null;
    },
    rules: row.rules,
    get items() {
      const { store } = replica.state;
      if (itemsOf !== store.order) {
        itemsOf = store.order;
        items = Array.from(store.order, (slot) => toRow(replica.state.items[slot]!));
      }
      return items;
    },
    removedItems: () =>
      replica.state
        .sorted()
        .flatMap((slot) =>
          replica.state.items[slot]!.exists ? [] : [toRow(replica.state.items[slot]!)],
        ),
    rowOf: (uid) => replica.state.store.rows[replica.state.slots.get(uid) ?? -1] ?? -1,
    columnOf: (uid) => replica.state.columns.get(uid) ?? -1,
    state: (r, column) => stateOf(replica.state.store.codeAt(r, column)),
    contested: (r, column) => replica.state.contested.has(cellAt(r, column)),
    recordedBy: (r, column) => replica.state.recordedBy(cellAt(r, column)),
    detail: (r, column) => replica.state.detail(cellAt(r, column)),
    eachDetail: (visit) => {
      for (const [cell, detail] of replica.state.details)
        atCell(cell, (r, column) => visit(r, column, detail));
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
      requireWhy(why);
      return gesture(() => {
        const { state } = replica;
        const plan = planCells(state, cells, patch);
        return {
          result: { written: plan.length },
          stored: commit(
            new GesturePlan(state, [], plan),
            { label, why: why ?? null, stack: 'undo' },
            why ?? null,
          ),
        };
      });
    },
    async apply(edit) {
      requireWhy(edit.why);
      return gesture(() => {
        // Changes that a removal covers must be sealed first, since it names them by id.
        if (edit.items?.some((item) => item.do === 'remove' || item.do === 'keep-removed') === true)
          replica.writer.sealAll();
        const { writes, cells } = planEdit(replica.state, edit);
        const stored = commit(
          new GesturePlan(replica.state, writes, cells),
          { label: edit.label, why: edit.why ?? null, stack: 'undo' },
          edit.why ?? null,
        );
        return {
          result: { items: new Set(writes.map(({ item }) => item)).size, cells: cells.length },
          stored,
        };
      });
    },
    check: (edits) => resolveItems(rowsOfState(replica.state), edits).problems,
    alternatives: (r, column) =>
      (['assertion', 'notes'] as const).flatMap((kind) =>
        headsOf(replica.state, { kind, cell: cellAt(r, column) }),
      ),
    contests: () => contestsOf(replica.state),
    contestCount: () => contestCount(replica.state),
    headsOf: (reg) => {
      const target = placeOf(replica.state, reg);
      return target === undefined ? [] : headsOf(replica.state, target);
    },
    editsUnder: (item) => alternativesUnder(replica.state, item),
    writers: (entries) => writers.of(entries),
    async settle(settlings, why, label) {
      if (why.trim() === '' || why.length > MAX_WHY)
        throw new InvalidPatchError(`A reason of 1 to ${MAX_WHY} characters is needed.`);
      return gesture(() => {
        // Changes that are cited must be sealed first, since they are named by id.
        replica.writer.sealAll();
        const { turns, left } = planSettling(replica.state, settlings);
        return {
          result: { settled: turns.length, left },
          stored: commit(new TurnPlan(replica.state, turns), { label, why, stack: 'undo' }, why),
        };
      });
    },
    undo: () => takeBack('undo'),
    redo: () => takeBack('redo'),
    get canUndo() {
      return journal.undo.length > 0 && replica.standing.access.may === 'write';
    },
    get canRedo() {
      return journal.redo.length > 0 && replica.standing.access.may === 'write';
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
          return (
            (head !== null && state.headName(head) === name) ||
            others.some((other) => state.headName([other.ref, other.index]) === name)
          );
        });
      };
      const rows = () => unsentRows(replica.db, row);
      return cellHistory(replica.client, rows, row, cell, isHead, person.name, replica.hasher);
    },
    get saveStatus() {
      status ??= readStatus();
      return status;
    },
    subscribeSaveStatus: (listener) => telling.subscribe(listener),
    flush(ms) {
      replica.nudge('person');
      const { held } = replica;
      if (held !== null && replica.stored.waiting > 0) return Promise.reject(new Error(held));
      if (session.saveStatus.waiting === 0) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const cancel = ports.timers.after(ms, () => {
          stop();
          reject(
            new Error(session.saveStatus.problem ?? 'Not all changes have reached the server yet.'),
          );
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
