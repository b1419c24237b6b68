import { cut, type CommandTransaction, type EntrySource } from './replica/transaction.ts';
import { EditPlan, type EntryPlan } from './editing/plan.ts';
import type { SuggestionPlan } from './editing/suggestion-plan.ts';
import { invert, rootInverse } from './undo/invert.ts';
import { invertResolutions, rootResolutions } from './undo/invert-resolutions.ts';
import type { Journal } from './undo/journal.ts';
import { ReadOnlyError, type UndoOutcome } from './store/port.ts';
import { namesDocument, NamingPlan } from './editing/naming-plan.ts';
import type { Replica } from './sync/replica.ts';
import type { Roots } from './replica/roots.ts';
import type { UndoStep } from './replica/undo-steps.ts';
import { stepToRow } from './replica/stored-undo-steps.ts';
import { ResolutionPlan } from './editing/resolution-plan.ts';
import { t } from '../text/t.ts';

/** What a command answers, and when all of it is stored. */
interface Done<T> {
  result: T;
  stored: Promise<void>;
}

/** What an undo or redo takes back. */
interface Back {
  step: UndoStep;
  /** Notes in the new step which older states it brought back. */
  root: (own: UndoStep) => void;
}

/**
 * What a person does to a matrix, in the order in which it was asked for: commands, and their undo
 * and redo.
 */
export class Commands {
  readonly #replica: Replica;
  readonly #person: { name: string };
  readonly #journal: Journal;
  /**
   * Undos and redos that were asked for and are not shown yet; a command given meanwhile comes
   * after them.
   */
  #queue: Promise<unknown> = Promise.resolve();
  /** How many those are. */
  waiting = 0;

  constructor(replica: Replica, person: { name: string }, journal: Journal) {
    this.#replica = replica;
    this.#person = person;
    this.#journal = journal;
  }

  /** Carries out a command at once, or after the undos that were asked for before it. */
  async run<T>(act: () => Done<T>): Promise<T> {
    this.#requireOpen();
    if (this.waiting > 0)
      return this.#inOrder(async () => {
        this.#requireOpen();
        return act();
      });
    const { result, stored } = act();
    await stored;
    return result;
  }

  /** Undo and redo: the same act on either stack, one at a time. */
  takeBack(from: 'undo' | 'redo'): Promise<UndoOutcome | null> {
    return this.#inOrder(() => this.#latestBack(from));
  }

  /** Undoes as many steps as it turns out to be, before whatever is asked for after it. */
  undoLatest(steps: Promise<number>): Promise<void> {
    return this.#inOrder(async () => {
      const stored: Promise<void>[] = [];
      for (let left = await steps; left > 0; left -= 1)
        stored.push((await this.#latestBack('undo')).stored);
      return { result: undefined, stored: Promise.all(stored).then(() => undefined) };
    });
  }

  /**
   * Shows a plan and stores it; resolves when it is in the outbox. `reason` is the one stored in
   * its changes.
   */
  async commit(
    plan: EntryPlan,
    about: Pick<UndoStep, 'label' | 'why' | 'stack'>,
    reason: string | null,
    back?: Back,
  ): Promise<void> {
    const replica = this.#replica;
    if (back !== undefined) this.#journal.drop(back.step.id);
    const goneSteps = back === undefined ? [] : [back.step.id];
    if (plan.count === 0)
      return back === undefined ? undefined : replica.writer.enqueue({ goneSteps });
    const naming = namesDocument(replica.state) ? new NamingPlan(plan, replica.state) : null;
    const transaction = this.#transactionOf(naming ?? plan, reason);
    const own = (naming ?? plan).apply(transaction.changes, {
      id: transaction.txn,
      at: transaction.at,
      ...about,
    });
    back?.root(own);
    const { gone, past } = this.#journal.add(own, back === undefined);
    replica.state.arrange();
    const { changeIds } = replica.state;
    const stored = replica.writer.enqueue({
      transaction,
      undoStep: () => stepToRow(own, replica.row.id, changeIds),
      goneSteps: [...goneSteps, ...gone],
      pastSteps: past,
      rows: replica.state.takeChanged(),
    });
    // After it was handed over, so that who hears of it can be told the names of its entries.
    replica.state.store.publish();
    replica.changed();
    await stored;
    if (naming !== null) await replica.noteNamed();
  }

  /**
   * Puts what is suggested into the outbox. It changes nothing on screen, and an undo takes back
   * nothing of it: its author suggests again.
   */
  async suggest(plan: SuggestionPlan): Promise<void> {
    if (plan.count === 0) return;
    const stored = this.#replica.writer.enqueue({ transaction: this.#transactionOf(plan, null) });
    this.#replica.changed();
    await stored;
  }

  /**
   * Fixes a command's clock, its heads and how it is cut into changes. The caller shows it and then
   * hands it to the writer.
   */
  #transactionOf(source: EntrySource, why: string | null): CommandTransaction {
    const { ports, row, state, own } = this.#replica;
    const at = ports.timers.now();
    const changes = cut(source, why).map(({ from, to }) => {
      const hlc = ports.clock.next();
      const ref = state.changeIds.reserve(hlc);
      state.changeIds.wrote(ref, own);
      return { ref, hlc, from, to, encoded: null };
    });
    return {
      caseUid: row.case_uid,
      txn: `${changes[0]?.hlc ?? ''}-${ports.encoding.randomHex(8)}`,
      at,
      why,
      user: row.user,
      userName: this.#person.name,
      source,
      changes,
    };
  }

  #requireOpen(): void {
    if (this.#replica.closed) throw new Error(t('The matrix was closed.'));
    const { access } = this.#replica.permission;
    if (access.may === 'read') throw new ReadOnlyError(access.words);
  }

  /**
   * Runs acts in the order in which they were asked for. The next one waits until this one is
   * shown, not until it is stored.
   */
  #inOrder<T>(act: () => Promise<Done<T>>): Promise<T> {
    this.waiting += 1;
    this.#replica.changed();
    const done = this.#queue.then(act).finally(() => {
      this.waiting -= 1;
      this.#replica.changed();
    });
    this.#queue = done.catch(() => undefined);
    return done.then(async ({ result, stored }) => {
      await stored;
      return result;
    });
  }

  /**
   * Reads a step. One that is not in memory may still be on its way to the disk, so pending writes
   * are awaited first.
   */
  async #stepOf(id: string): Promise<UndoStep | undefined> {
    const step = await this.#journal.get(id);
    if (step !== undefined) return step;
    await this.#replica.writer.settled();
    return this.#journal.get(id);
  }

  /** Takes back the latest step of a stack. */
  async #latestBack(from: 'undo' | 'redo'): Promise<Done<UndoOutcome | null>> {
    for (;;) {
      this.#requireOpen();
      const { state } = this.#replica;
      const id = this.#journal[from].at(-1);
      if (id === undefined) return { result: null, stored: Promise.resolve() };
      const [step, roots] = await Promise.all([this.#stepOf(id), this.#journal.roots()]);
      // The replica was read again meanwhile, so the numbers in this step belong to the previous
      // one: read the step again.
      if (this.#replica.state !== state) continue;
      if (step === undefined) {
        this.#journal.drop(id);
        continue;
      }
      const stack = from === 'undo' ? 'redo' : 'undo';
      return step.resolutions.length > 0
        ? this.#resolveBack(step, roots, stack)
        : this.#writeBack(step, roots, stack);
    }
  }

  /** Takes back what a step settled, or settles it again. */
  #resolveBack(step: UndoStep, roots: Roots, stack: UndoStep['stack']): Done<UndoOutcome> {
    const { state } = this.#replica;
    const { resolutions, outcome } = invertResolutions(state, step, roots);
    const reason =
      resolutions[0]?.op === 'resolve' ? step.why : `Undone: ${step.why ?? step.label}`;
    return {
      result: outcome,
      stored: this.commit(
        new ResolutionPlan(state, resolutions),
        { label: step.label, why: step.why, stack },
        reason,
        { step, root: (own) => rootResolutions(own, roots) },
      ),
    };
  }

  /** Takes back what a step wrote in rows and cells. */
  #writeBack(step: UndoStep, roots: Roots, stack: UndoStep['stack']): Done<UndoOutcome> {
    const { state, writer } = this.#replica;
    if (step.rows.some(({ field }) => field === 'x')) writer.encodeAll();
    const inverse = invert(state, step, roots);
    return {
      result: inverse.outcome,
      stored: this.commit(
        new EditPlan(state, inverse.writes, inverse.cells),
        { label: step.label, why: null, stack },
        null,
        { step, root: (own) => rootInverse(own, step, inverse, roots) },
      ),
    };
  }
}
