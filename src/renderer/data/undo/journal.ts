import type { Database, HeadRef, UndoStepRow } from '../store/db.ts';
import { readUndoStep } from '../store/undo-step-row.ts';
import type { ChangeIds } from '../store/change-ids.ts';
import { headOfKey, Roots } from '../replica/roots.ts';
import { rowToStep } from '../replica/stored-undo-steps.ts';
import type { UndoStep } from '../replica/undo-steps.ts';

/** Undo steps kept for each matrix; older ones can no longer be undone. */
export const JOURNAL_STEPS = 2_000;
/**
 * So many of the latest steps stay in memory, as long as they have no more cells than this
 * together.
 */
const RECENT = 20;
const RECENT_CELLS = 1_000_000;

/**
 * Which commands can be undone and redone. The steps are on disk; the latest also stay in memory.
 */
export class Journal {
  readonly #db: Database;
  readonly #matrix: string;
  readonly #changeIds: () => ChangeIds;
  readonly #recent = new Map<string, UndoStep>();
  #roots: Promise<Roots> | null = null;
  #loaded: Roots | null = null;
  /** Grows each time the stacks are read. */
  #life = 0;
  undo: string[] = [];
  redo: string[] = [];
  past: string[] = [];
  /** Grows with each step added or dropped. */
  acts = 0;

  constructor(db: Database, matrix: string, changeIds: () => ChangeIds) {
    this.#db = db;
    this.#matrix = matrix;
    this.#changeIds = changeIds;
  }

  /**
   * Reads the stacks from disk. Also after the replica was read again: its numbers have changed,
   * and other windows may have written steps.
   */
  async load(): Promise<void> {
    const { acts: before } = this;
    const ids = async (stack: UndoStepRow['stack']): Promise<string[]> =>
      (await this.#db.gestures.where('[matrix+stack]').equals([this.#matrix, stack]).primaryKeys())
        .map(([, id]) => id)
        .sort();
    this.#recent.clear();
    this.#life += 1;
    this.#roots = null;
    this.#loaded = null;
    const stacks = await Promise.all([ids('undo'), ids('redo'), ids('past')]);
    // What this window did meanwhile may not be on disk yet; its own stacks are then newer.
    if (this.acts === before) [this.undo, this.redo, this.past] = stacks;
    // Read now, so that the first undo does not have to wait for it.
    const life = this.#life;
    this.roots().catch(() => {
      if (life === this.#life) this.#roots = null;
    });
  }

  /** Adds a step; returns the ids of steps to delete, and of those that can no longer be redone. */
  add(step: UndoStep, isNew: boolean): { gone: string[]; past: string[] } {
    this.acts += 1;
    this.#recent.set(step.id, step);
    let cells = 0;
    for (const { item } of this.#recent.values()) cells += item.length;
    for (const [id, { item }] of this.#recent) {
      if (this.#recent.size <= 1 || (this.#recent.size <= RECENT && cells <= RECENT_CELLS)) break;
      this.#recent.delete(id);
      cells -= item.length;
    }
    this.#loaded?.add(step);
    this[step.stack].push(step.id);
    const past = isNew ? this.redo.splice(0) : [];
    this.past.push(...past);
    return {
      gone: [
        ...this.undo.splice(0, Math.max(0, this.undo.length - JOURNAL_STEPS)),
        ...this.past.splice(0, Math.max(0, this.past.length - JOURNAL_STEPS)),
      ],
      past,
    };
  }

  /** A step; undefined also where the stored one cannot be read. */
  async get(id: string): Promise<UndoStep | undefined> {
    const recent = this.#recent.get(id);
    if (recent !== undefined) return recent;
    const row = readUndoStep(await this.#db.gestures.get([this.#matrix, id]));
    return row === undefined ? undefined : rowToStep(row, this.#changeIds());
  }

  /** Which older states the undos and redos so far have brought back. */
  roots(): Promise<Roots> {
    this.#roots ??= this.#readRoots(this.#life);
    return this.#roots;
  }
  /** The head that first showed what this one shows, as far as the steps have been read. */
  firstOf(head: HeadRef): HeadRef | null {
    return this.#loaded === null ? head : headOfKey(this.#loaded.ofHead(head));
  }
  async #readRoots(life: number): Promise<Roots> {
    const roots = new Roots();
    const changeIds = this.#changeIds();
    await this.#db.gestures
      .where('[matrix+id]')
      .between([this.#matrix, ''], [this.#matrix, '\uffff'])
      .each((stored) => {
        const row = readUndoStep(stored);
        if (row !== undefined && (row.root !== null || row.turns.length > 0))
          roots.add(rowToStep(row, changeIds));
      });
    for (const step of this.#recent.values()) roots.add(step);
    if (life === this.#life) this.#loaded = roots;
    return roots;
  }

  /** Takes the step off its stack. */
  drop(id: string): void {
    this.acts += 1;
    this.#recent.delete(id);
    this.undo = this.undo.filter((other) => other !== id);
    this.redo = this.redo.filter((other) => other !== id);
  }
}
