import type { HeadRef } from '../store/db.ts';
import { type UndoStep, WROTE_ASSERTION } from './undo-steps.ts';

/** More than the entries of any change (MAX_ENTRIES), so that change and entry fit one number. */
const STRIDE = 4_096;
export const keyOf = (ref: number, entry: number): number => ref * STRIDE + entry;

/** Knows which head first showed the state that an undo or redo brought back. */
export class Roots {
  /** Roots as numbers, by change and then by entry; NaN for an entry that brought nothing back. */
  readonly #roots = new Map<number, Float64Array>();
  #last = -1;
  #ofLast: Float64Array | undefined;

  #ofChange(ref: number): Float64Array | undefined {
    if (ref !== this.#last) [this.#last, this.#ofLast] = [ref, this.#roots.get(ref)];
    return this.#ofLast;
  }
  /** The root of a head as one number. A head that brought nothing back is its own root. */
  of(ref: number, entry: number): number {
    const root = this.#ofChange(ref)?.[entry];
    return root === undefined || Number.isNaN(root) ? keyOf(ref, entry) : root;
  }
  ofHead(head: HeadRef | null): number {
    return head === null ? 0 : this.of(head[0], head[1]);
  }
  #set(ref: number, entry: number, root: number): void {
    let roots = this.#ofChange(ref);
    if (roots === undefined || entry >= roots.length) {
      const more = new Float64Array(Math.min(STRIDE, Math.max(4, 2 * entry))).fill(NaN);
      if (roots !== undefined) more.set(roots);
      this.#roots.set(ref, (roots = this.#ofLast = more));
    }
    roots[entry] = root;
  }

  add(step: UndoStep): void {
    const { head, root, wrote } = step;
    for (const resolution of step.resolutions)
      if (resolution.root !== null) this.#set(...resolution.head, keyOf(...resolution.root));
    if (root === null) return;
    for (let at = 0; at < wrote.length; at += 1) {
      if ((wrote[at]! & WROTE_ASSERTION) !== 0)
        this.#set(head.ref[at]!, head.entry[at]!, keyOf(root.ref[at]!, root.entry[at]!));
    }
    for (const written of [...Object.values(step.details), ...step.rows]) {
      if (written.head !== null)
        this.#set(...written.head, written.root === null ? 0 : keyOf(...written.root));
    }
  }
}

/** The head behind a root's number. */
export const headOfKey = (key: number): HeadRef | null =>
  key === 0 ? null : [Math.floor(key / STRIDE), key % STRIDE];
