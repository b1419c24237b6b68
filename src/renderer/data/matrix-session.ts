import type { UserId } from '../../shared/contract/ids.ts';
import { InvalidPatchError } from './editing/cell-plan.ts';
import { planSettling } from './editing/contests.ts';
import { planCells, planEdit } from './editing/edit-plan.ts';
import { EditPlan } from './editing/plan.ts';
import { SuggestionPlan } from './editing/suggestion-plan.ts';
import { Commands } from './commands.ts';
import { cellHistory } from './api/history.ts';
import { Journal } from './undo/journal.ts';
import { MatrixReads } from './matrix-reads.ts';
import { entryName, parseEntryName } from '../../sync/change.ts';
import { readChange } from './store/stored-rows.ts';
import { Saving } from './saving.ts';
import { unsentRows } from './sync/outbox.ts';
import {
  type CellAddress,
  type Edit,
  type MatrixSession,
  ReadOnlyError,
  type SaveStatus,
  type Settling,
} from './store/port.ts';
import { userIdOf } from './api/who.ts';
import type { Replica } from './sync/replica.ts';
import type { ReplicaState } from './replica/replica-state.ts';
import { ResolutionPlan } from './editing/resolution-plan.ts';
import { Writers } from './sync/writers.ts';
import { t } from '../text/t.ts';

const MAX_WHY = 2_000;

interface SessionPerson {
  user_id: UserId;
  name: string;
}

function requireWhy(why: string | undefined): void {
  if (why !== undefined && why.length > MAX_WHY)
    throw new InvalidPatchError(
      t('The reason must have at most {most, number} characters.', { most: MAX_WHY }),
    );
}

/** Whether an entry is a head of a cell's outcome or notes, displayed or not. */
const isHeadOf = (state: ReplicaState, cell: number, name: string): boolean =>
  (['assertion', 'notes'] as const).some((kind) =>
    state.conflicts
      .heads({ kind, cell })
      .some(({ ref, index }) => state.headName([ref, index]) === name),
  );

/**
 * The session that the editor works with: synchronous reads from memory, commands, and what became
 * of them.
 */
class ReplicaSession extends MatrixReads implements MatrixSession {
  private readonly person: SessionPerson;
  private readonly journal: Journal;
  private readonly entryWriters: Writers;
  private readonly commands: Commands;
  private readonly saving: Saving;

  constructor(replica: Replica, person: SessionPerson, journal: Journal) {
    super(replica);
    this.person = person;
    this.journal = journal;
    this.entryWriters = new Writers(replica, () => person);
    this.commands = new Commands(replica, person, journal);
    this.saving = new Saving(replica, () => this.commands.waiting);
    replica.onReload = () =>
      void journal.load().then(
        () => replica.onStatus(),
        () => undefined,
      );
  }

  async write(
    label: string,
    cells: readonly CellAddress[],
    patch: Parameters<MatrixSession['write']>[2],
    why?: string,
  ): Promise<{ written: number }> {
    requireWhy(why);
    return this.commands.run(() => {
      const { state } = this.replica;
      const plan = planCells(state, cells, patch);
      return {
        result: { written: plan.length },
        stored: this.commands.commit(
          new EditPlan(state, [], plan),
          { label, why: why ?? null, stack: 'undo' },
          why ?? null,
        ),
      };
    });
  }

  async apply(edit: Edit): Promise<{ items: number; cells: number }> {
    requireWhy(edit.why);
    return this.commands.run(() => {
      const { state, writer } = this.replica;
      // Changes that a removal covers must be encoded first, since it names them by id.
      if (edit.items?.some((item) => item.do === 'remove' || item.do === 'keep-removed') === true)
        writer.encodeAll();
      const { writes, cells } = planEdit(state, edit);
      return {
        stored: this.commands.commit(
          new EditPlan(state, writes, cells),
          { label: edit.label, why: edit.why ?? null, stack: 'undo' },
          edit.why ?? null,
        ),
        result: { items: new Set(writes.map(({ item }) => item)).size, cells: cells.length },
      };
    });
  }

  async settle(
    settlings: readonly Settling[],
    why: string,
    label: string,
  ): Promise<{ settled: number; left: readonly string[] }> {
    if (why.trim() === '' || why.length > MAX_WHY)
      throw new InvalidPatchError(
        t('A reason of 1 to {most, number} characters is needed.', { most: MAX_WHY }),
      );
    return this.commands.run(() => {
      const { state, writer } = this.replica;
      // Changes that are cited must be encoded first, since they are named by id.
      writer.encodeAll();
      const { resolutions, left } = planSettling(state, settlings);
      return {
        result: { settled: resolutions.length, left },
        stored: this.commands.commit(
          new ResolutionPlan(state, resolutions),
          { label, why, stack: 'undo' },
          why,
        ),
      };
    });
  }

  async suggest(
    edit: Parameters<MatrixSession['suggest']>[0],
    isWithdrawn = false,
  ): Promise<{ suggested: number; left: number }> {
    const { access } = this.replica.permission;
    if (access.may === 'read' && access.because !== 'approved')
      throw new ReadOnlyError(access.words);
    const { state, writer, row } = this.replica;
    writer.encodeAll();
    const plan = new SuggestionPlan(state, userIdOf(row.user), edit, isWithdrawn);
    await this.commands.suggest(plan);
    return { suggested: plan.count, left: plan.left };
  }

  noteApproved(isApproved: boolean): void {
    if (this.replica.isApproved === isApproved) return;
    this.replica.isApproved = isApproved;
    this.replica.changed();
  }
  undo(): ReturnType<MatrixSession['undo']> {
    return this.commands.takeBack('undo');
  }
  undoLatest(steps: Promise<number>): Promise<void> {
    return this.commands.undoLatest(steps);
  }
  redo(): ReturnType<MatrixSession['redo']> {
    return this.commands.takeBack('redo');
  }
  get canUndo(): boolean {
    return this.journal.undo.length > 0 && this.replica.permission.access.may === 'write';
  }
  get canRedo(): boolean {
    return this.journal.redo.length > 0 && this.replica.permission.access.may === 'write';
  }

  writers(entries: readonly string[]): ReturnType<MatrixSession['writers']> {
    return this.entryWriters.of(entries);
  }
  async citing(): ReturnType<MatrixSession['citing']> {
    const { writer, db, row, hasher } = this.replica;
    await writer.settled();
    await this.journal.roots();
    return new Map(
      (await unsentRows(db, row)).flatMap((unsent) => {
        const { entries = [], why = null } = readChange(unsent, hasher) ?? {};
        return entries.flatMap(({ from }, index) =>
          from === undefined ? [] : [[entryName(unsent.id, index), { from, reason: why }] as const],
        );
      }),
    );
  }
  firstSaid(entry: string): string {
    const { state } = this.replica;
    const { id, index } = parseEntryName(entry) ?? { id: '', index: 0 };
    const ref = state.changeIds.find(id);
    if (ref === undefined) return entry;
    const first = this.journal.firstOf([ref, index]);
    return first === null ? '' : state.headName(first);
  }
  async history(cell: CellAddress): ReturnType<MatrixSession['history']> {
    const { writer, db, row, client, hasher } = this.replica;
    await writer.settled();
    const { state } = this.replica;
    const isHead = (name: string): boolean => {
      const itemIndex = state.itemIndexes.get(cell.item);
      const column = state.columns.get(cell.rule);
      return (
        itemIndex !== undefined &&
        column !== undefined &&
        isHeadOf(state, itemIndex * state.store.columns + column, name)
      );
    };
    const rows = () => unsentRows(db, row);
    return cellHistory(client, rows, row, cell, isHead, this.person.name, hasher);
  }

  get saveStatus(): SaveStatus {
    return this.saving.status;
  }
  readonly subscribeSaveStatus = (listener: () => void): (() => void) =>
    this.saving.subscribe(listener);
  flush(ms: number): Promise<void> {
    return this.saving.flush(ms);
  }
  close(): void {
    this.replica.close();
  }
}

export async function createMatrixSession(
  replica: Replica,
  person: SessionPerson,
): Promise<MatrixSession> {
  const journal = new Journal(replica.db, replica.row.id, () => replica.state.changeIds);
  await journal.load();
  return new ReplicaSession(replica, person, journal);
}
