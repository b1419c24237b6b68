import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { Entry } from '../../../sync/change.ts';
import { jsonBytes, type Piece } from '../replica/drafts.ts';
import type { ConflictingHead, HeadRef } from '../store/db.ts';
import type { Plan } from './gesture-plan.ts';
import type { ReplicaState } from '../replica/replica-state.ts';
import type { Target } from '../replica/registers.ts';
import { type ContestHead, newStep, type Step } from '../replica/steps.ts';

/**
 * What is written to one register: a `resolve` that names all its heads and so settles it, or, to
 * undo that, a `set` for each former head, all of which name the resolve.
 */
export interface Turn {
  reg: string;
  target: Target;
  op: 'resolve' | 'set';
  parents: readonly HeadRef[];
  /** Values to write, the one to be displayed last. */
  writes: readonly { value: unknown; restores: string | null }[];
  /** For a settlement: the heads that contradict each other, the displayed one first. */
  heads: readonly ContestHead[];
  /** The value that settles the register, or had settled it. */
  value: unknown;
  /** The head displayed before, and the head that first showed the state brought back. */
  former: HeadRef;
  root: HeadRef | null;
}

const ENTRY_BYTES = 200;
const NAME_BYTES = 53;

/** The plan of a gesture that settles contested registers, or makes them contested again. */
export class TurnPlan implements Plan {
  readonly #state: ReplicaState;
  readonly #turns: readonly Turn[];
  /**
   * For each entry: which turn it belongs to, and which of its writes it is. A change writes a
   * register once at most (H5), so further writes of a turn begin another change.
   */
  readonly #entries: { turn: Turn; write: number }[] = [];
  readonly #breaks: number[] = [];
  readonly widest = Infinity;

  constructor(state: ReplicaState, turns: readonly Turn[]) {
    this.#state = state;
    this.#turns = turns;
    const waves = Math.max(0, ...turns.map(({ writes }) => writes.length));
    for (let write = 0; write < waves; write += 1) {
      this.#breaks.push(this.#entries.length);
      for (const turn of turns) if (write < turn.writes.length) this.#entries.push({ turn, write });
    }
  }

  get count(): number {
    return this.#entries.length;
  }
  get breaks(): readonly number[] {
    return this.#breaks;
  }
  at(index: number): Entry {
    const { turn, write } = this.#entries[index]!;
    const { value, restores } = turn.writes[write]!;
    return {
      op: turn.op,
      parents: turn.parents.map((head) => this.#state.headName(head)).sort(),
      reg: turn.reg,
      value,
      ...(restores === null ? {} : { restores }),
    };
  }
  size(index: number): number {
    const { turn, write } = this.#entries[index]!;
    return (
      ENTRY_BYTES +
      jsonBytes(turn.reg) +
      turn.parents.length * NAME_BYTES +
      3 * canonicalJson(turn.writes[write]!.value ?? null).length
    );
  }

  apply(
    pieces: readonly Piece[],
    about: Pick<Step, 'id' | 'stack' | 'label' | 'why' | 'at'>,
  ): Step {
    const made = new Map<Turn, HeadRef[]>(this.#turns.map((turn) => [turn, []]));
    for (const { from, to, ref } of pieces)
      for (let index = from; index < to; index += 1)
        made.get(this.#entries[index]!.turn)!.push([ref, index - from]);
    const step = newStep(this.#state, [], about);
    for (const [turn, written] of made) {
      this.#show(turn, written);
      const shown = written.at(-1)!;
      const heads =
        turn.op === 'resolve'
          ? turn.heads
          : written
              .map((head, at): ContestHead => ({
                head,
                value: turn.writes[at]!.value,
                of: turn.writes[at]!.restores ?? '',
              }))
              .reverse();
      step.turns.push({
        reg: turn.reg,
        op: turn.op,
        heads: [...heads],
        value: turn.value,
        head: shown,
        former: turn.former,
        root: turn.root,
      });
    }
    return step;
  }
  #show({ reg, target, parents, writes }: Turn, written: readonly HeadRef[]): void {
    const state = this.#state;
    const isNamed = ({ ref, index }: ConflictingHead): boolean =>
      parents.some((parent) => parent[0] === ref && parent[1] === index);
    const others = state.conflicts.heads(target).filter((head) => !isNamed(head));
    const own = written.map(([ref, index], at): ConflictingHead => {
      const { value, restores } = writes[at]!;
      if (restores !== null && target.kind === 'assertion')
        state.names.brought(ref, index, state.names.authorOf(restores));
      return { ref, index, value };
    });
    state.conflicts.settle(
      target,
      reg,
      [...others, ...own],
      state.conflicts.registers.get(reg)?.cited ?? [],
    );
  }
}
