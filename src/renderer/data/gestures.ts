import { cut, type Draft, type EntrySource } from './replica/drafts.ts';
import { GesturePlan, type Plan } from './editing/gesture-plan.ts';
import { invert, rootInverse } from './undo/invert.ts';
import { invertTurns, rootTurns } from './undo/invert-turns.ts';
import type { Journal } from './undo/journal.ts';
import { ReadOnlyError, type UndoOutcome } from './store/port.ts';
import { namesDocument, NamingPlan } from './editing/naming-plan.ts';
import type { Replica } from './sync/replica.ts';
import { type Step, stepToRow } from './replica/steps.ts';
import { TurnPlan } from './editing/turn-plan.ts';

/**
 * What a person does to a matrix, in the order in which it was asked for: gestures, and their undo
 * and redo.
 */
export function createGestures(replica: Replica, person: { name: string }, journal: Journal) {
  const { row, ports } = replica;
  /**
   * Undos and redos that were asked for and are not shown yet; a gesture made meanwhile comes after
   * them.
   */
  let steps: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  /**
   * Fixes a gesture's clock, its heads and how it is cut into changes. The caller shows it and then
   * hands it to the writer.
   */
  function draftOf(source: EntrySource, why: string | null): Draft {
    const at = ports.timers.now();
    const pieces = cut(source, why).map(({ from, to }) => {
      const hlc = ports.clock.next();
      const ref = replica.state.names.reserve(hlc);
      replica.state.names.wrote(ref, replica.own);
      return { ref, hlc, from, to, sealed: null };
    });
    return {
      caseUid: row.case_uid,
      txn: `${pieces[0]?.hlc ?? ''}-${ports.seal.randomHex(8)}`,
      at,
      why,
      user: row.user,
      userName: person.name,
      source,
      pieces,
    };
  }
  function show(): void {
    replica.state.arrange();
    replica.state.store.publish();
  }
  function requireOpen(): void {
    if (replica.closed) throw new Error('The matrix was closed.');
    const { access } = replica.standing;
    if (access.may === 'read') throw new ReadOnlyError(access.words);
  }

  /**
   * Shows a plan and stores it; resolves when it is in the outbox. `said` is the reason stored in
   * its changes. For an undo or redo, `back.step` is the step taken back, and `back.root` notes in
   * the new step which older states it brought back.
   */
  async function commit(
    plan: Plan,
    about: Pick<Step, 'label' | 'why' | 'stack'>,
    said: string | null,
    back?: { step: Step; root: (own: Step) => void },
  ): Promise<void> {
    if (back !== undefined) journal.drop(back.step.id);
    const goneGestures = back === undefined ? [] : [back.step.id];
    if (plan.count === 0)
      return back === undefined ? undefined : replica.writer.enqueue({ goneGestures });
    const naming = namesDocument(replica.state) ? new NamingPlan(plan, replica.state) : null;
    const draft = draftOf(naming ?? plan, said);
    const own = (naming ?? plan).apply(draft.pieces, { id: draft.txn, at: draft.at, ...about });
    back?.root(own);
    const { gone, past } = journal.add(own, back === undefined);
    show();
    const { names } = replica.state;
    const stored = replica.writer.enqueue({
      draft,
      gesture: () => stepToRow(own, row.id, names),
      goneGestures: [...goneGestures, ...gone],
      pastGestures: past,
      rows: replica.state.takeDirty(),
    });
    replica.changed();
    await stored;
    if (naming !== null) await replica.noteNamed();
  }

  /** Performs a gesture at once, or after the undos that were asked for before it. */
  async function gesture<T>(act: () => { result: T; stored: Promise<void> }): Promise<T> {
    requireOpen();
    if (waiting > 0)
      return inTurn(async () => {
        requireOpen();
        return act();
      });
    const { result, stored } = act();
    await stored;
    return result;
  }

  /**
   * Runs acts in the order in which they were asked for. The next one waits until this one is
   * shown, not until it is stored.
   */
  function inTurn<T>(act: () => Promise<{ result: T; stored: Promise<void> }>): Promise<T> {
    waiting += 1;
    replica.changed();
    const turn = steps.then(act).finally(() => {
      waiting -= 1;
      replica.changed();
    });
    steps = turn.catch(() => undefined);
    return turn.then(async ({ result, stored }) => {
      await stored;
      return result;
    });
  }
  /**
   * Reads a step. One that is no longer in memory may still be on its way to the disk, so pending
   * writes are awaited first.
   */
  async function stepOf(id: string): Promise<Step | undefined> {
    const step = await journal.get(id);
    if (step !== undefined) return step;
    await replica.writer.settled();
    return journal.get(id);
  }

  /** Undo and redo: the same act on either stack, one at a time. */
  function takeBack(from: 'undo' | 'redo'): Promise<UndoOutcome | null> {
    return inTurn(async () => {
      for (;;) {
        requireOpen();
        const { state } = replica;
        const id = journal[from].at(-1);
        if (id === undefined) return { result: null, stored: Promise.resolve() };
        const [step, roots] = await Promise.all([stepOf(id), journal.roots()]);
        // The replica was read again meanwhile, so the numbers in this step belong to the former
        // one: read the step again.
        if (replica.state !== state) continue;
        if (step === undefined) {
          journal.drop(id);
          continue;
        }
        const stack = from === 'undo' ? 'redo' : 'undo';
        if (step.turns.length > 0) {
          const { turns, outcome } = invertTurns(state, step, roots);
          const said = turns[0]?.op === 'resolve' ? step.why : `Undone: ${step.why ?? step.label}`;
          return {
            result: outcome,
            stored: commit(
              new TurnPlan(state, turns),
              { label: step.label, why: step.why, stack },
              said,
              { step, root: (own) => rootTurns(own, roots) },
            ),
          };
        }
        if (step.rows.some(({ field }) => field === 'x')) replica.writer.sealAll();
        const inverse = invert(state, step, roots);
        const plan = new GesturePlan(state, inverse.writes, inverse.cells);
        return {
          result: inverse.outcome,
          stored: commit(plan, { label: step.label, why: null, stack }, null, {
            step,
            root: (own) => rootInverse(own, step, inverse, roots),
          }),
        };
      }
    });
  }

  return {
    commit,
    gesture,
    takeBack,
    /** Undos and redos that are not shown yet. */
    get waiting() {
      return waiting;
    },
  };
}
