import { formatRegister } from '../../../sync/register.ts';
import type { Entry } from '../../../sync/change.ts';
import type { ChangeDraft } from '../replica/transaction.ts';
import type { EntryPlan } from './plan.ts';
import type { ReplicaState } from '../replica/replica-state.ts';
import type { UndoStep } from '../replica/undo-steps.ts';

/**
 * Whether the next command has to name the document that this copy is of: the first that is
 * recorded into a matrix does.
 */
export const namesDocument = ({ document }: ReplicaState): boolean =>
  document !== undefined && !document.named && !document.other;

const ENTRY_BYTES = 300;

/**
 * A plan, and after its entries one that names the document under which they were recorded. It is
 * no part of the undo step: what was recorded keeps its meaning.
 */
export class NamingPlan implements EntryPlan {
  readonly #plan: EntryPlan;
  readonly #state: ReplicaState;
  readonly widest: number;
  readonly breaks: readonly number[];

  constructor(plan: EntryPlan, state: ReplicaState) {
    this.#plan = plan;
    this.#state = state;
    this.widest = Math.max(plan.widest, ENTRY_BYTES);
    this.breaks = plan.breaks ?? [];
  }

  get count(): number {
    return this.#plan.count + 1;
  }
  at(index: number): Entry {
    if (index < this.#plan.count) return this.#plan.at(index);
    const { profile, version, document } = this.#state;
    return {
      op: 'set',
      parents: [],
      reg: formatRegister({ kind: 'document', profile, version }),
      value: { digest: document?.digest ?? '' },
    };
  }
  size(index: number): number {
    return index < this.#plan.count ? this.#plan.size(index) : ENTRY_BYTES;
  }

  apply(
    changes: readonly ChangeDraft[],
    about: Pick<UndoStep, 'id' | 'stack' | 'label' | 'why' | 'at'>,
  ): UndoStep {
    const own = this.#plan.count;
    const step = this.#plan.apply(
      changes.map((change) => ({
        ...change,
        to: Math.min(change.to, own),
        from: Math.min(change.from, own),
      })),
      about,
    );
    if (this.#state.document !== undefined)
      this.#state.document = { ...this.#state.document, named: true };
    return step;
  }
}
