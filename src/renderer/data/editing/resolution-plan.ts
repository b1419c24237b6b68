import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { Entry } from '../../../sync/change.ts';
import { jsonBytes, type ChangeDraft } from '../replica/transaction.ts';
import type { ConflictingHead, HeadRef } from '../store/db.ts';
import type { EntryPlan } from './plan.ts';
import type { ReplicaState } from '../replica/replica-state.ts';
import type { Target } from '../replica/registers.ts';
import { type ContestHead, newStep, type UndoStep } from '../replica/undo-steps.ts';

/**
 * What is written to one register: a `resolve` that names all its heads and so settles it, or, to
 * undo that, a `set` for each previous head, all of which name the resolve.
 */
export interface Resolution {
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
  /** The entries that it comes from; also kept while it is undone. */
  from?: readonly string[] | undefined;
  /** The head displayed before, and the head that first showed the state brought back. */
  previous: HeadRef;
  root: HeadRef | null;
}

const ENTRY_BYTES = 200;
const NAME_BYTES = 53;

/** The plan of a command that settles contested registers, or makes them contested again. */
export class ResolutionPlan implements EntryPlan {
  readonly #state: ReplicaState;
  readonly #resolutions: readonly Resolution[];
  /**
   * For each entry: which resolution it belongs to, and which of its writes it is. A change writes
   * a register once at most (H5), so further writes of a resolution begin another change.
   */
  readonly #entries: { resolution: Resolution; write: number }[] = [];
  readonly #breaks: number[] = [];
  readonly widest = Infinity;

  constructor(state: ReplicaState, resolutions: readonly Resolution[]) {
    this.#state = state;
    this.#resolutions = resolutions;
    const waves = Math.max(0, ...resolutions.map(({ writes }) => writes.length));
    for (let write = 0; write < waves; write += 1) {
      this.#breaks.push(this.#entries.length);
      for (const resolution of resolutions)
        if (write < resolution.writes.length) this.#entries.push({ resolution, write });
    }
  }

  get count(): number {
    return this.#entries.length;
  }
  get breaks(): readonly number[] {
    return this.#breaks;
  }
  at(index: number): Entry {
    const { resolution, write } = this.#entries[index]!;
    const { value, restores } = resolution.writes[write]!;
    const from = resolution.op === 'resolve' ? resolution.from : undefined;
    return {
      op: resolution.op,
      parents: resolution.parents.map((head) => this.#state.headName(head)).sort(),
      reg: resolution.reg,
      value,
      ...(restores === null ? {} : { restores }),
      ...(from === undefined ? {} : { from: [...from] }),
    };
  }
  size(index: number): number {
    const { resolution, write } = this.#entries[index]!;
    return (
      ENTRY_BYTES +
      jsonBytes(resolution.reg) +
      (resolution.parents.length + (resolution.from?.length ?? 0)) * NAME_BYTES +
      3 * canonicalJson(resolution.writes[write]!.value ?? null).length
    );
  }

  apply(
    changes: readonly ChangeDraft[],
    about: Pick<UndoStep, 'id' | 'stack' | 'label' | 'why' | 'at'>,
  ): UndoStep {
    const made = new Map<Resolution, HeadRef[]>(
      this.#resolutions.map((resolution) => [resolution, []]),
    );
    for (const { from, to, ref } of changes)
      for (let index = from; index < to; index += 1)
        made.get(this.#entries[index]!.resolution)!.push([ref, index - from]);
    const step = newStep(this.#state, [], about);
    for (const [resolution, written] of made) {
      this.#show(resolution, written);
      const shown = written.at(-1)!;
      const heads =
        resolution.op === 'resolve'
          ? resolution.heads
          : written
              .map((head, at): ContestHead => ({
                head,
                value: resolution.writes[at]!.value,
                of: resolution.writes[at]!.restores ?? '',
              }))
              .reverse();
      step.resolutions.push({
        reg: resolution.reg,
        op: resolution.op,
        heads: [...heads],
        value: resolution.value,
        ...(resolution.from !== undefined && { from: resolution.from }),
        head: shown,
        previous: resolution.previous,
        root: resolution.root,
      });
    }
    return step;
  }
  #show({ reg, target, parents, writes }: Resolution, written: readonly HeadRef[]): void {
    const state = this.#state;
    const isNamed = ({ ref, index }: ConflictingHead): boolean =>
      parents.some((parent) => parent[0] === ref && parent[1] === index);
    const others = state.conflicts.heads(target).filter((head) => !isNamed(head));
    const own = written.map(([ref, index], at): ConflictingHead => {
      const { value, restores } = writes[at]!;
      if (restores !== null && target.kind === 'assertion')
        state.changeIds.brought(ref, index, state.changeIds.authorOf(restores));
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
