import { sql } from 'kysely';
import { sameContent } from '../../../sync/assertion.ts';
import { applyEntry, displayedHead, type HeadEntry } from '../../../sync/heads.ts';
import { parseEntryName } from '../../../sync/change.ts';
import { parseRegister } from '../../../sync/register.ts';
import type { ChangeIndex, EntryPosition } from './change-index.ts';
import { compiledOnce } from '../db/compiled-once.ts';
import type { DatabaseSession } from '../db/session.ts';
import type { Placeholders } from '../db/placeholder.ts';

/**
 * One register in the table that shows it: its displayed head, and what to do when that changes.
 */
export interface RegisterBinding {
  readonly reg: string;
  head: EntryPosition | null;
  /** `restores` is the entry that first said the value, where an undo brought it back. */
  show(value: unknown, restores: string | null): void;
  /**
   * Called after each entry with whether there are conflicting heads and whether the heads differ
   * in what they say.
   */
  noteConflict(conflicting: boolean, contested: boolean): void;
}

export interface PlacedEntry extends EntryPosition {
  parents: readonly string[];
  value: unknown;
  restores?: unknown;
}

const headsQuery = compiledOnce(
  (
    { db, inPlaceholder },
    given: Placeholders<{ account: number; stream: number; regs: readonly string[] }>,
  ) => {
    const of = (table: 'extra_heads' | 'cited') =>
      db
        .selectFrom(table)
        .where('account', '=', given.account)
        .where('stream_pk', '=', given.stream)
        .where(inPlaceholder('reg', given.regs, 'text'));
    return of('extra_heads')
      .select(['reg', 'seq', 'idx', sql<string | null>`NULL`.as('name')])
      .unionAll(
        of('cited').select([
          'reg',
          sql<number>`0`.as('seq'),
          sql<number>`0`.as('idx'),
          sql<string | null>`name`.as('name'),
        ]),
      );
  },
);

/**
 * The heads that are not displayed, and the names of parents that have not arrived yet, of the few
 * registers that have any.
 */
export class HeadMap {
  readonly #session: DatabaseSession;
  readonly #stream: number;
  readonly #changes: ChangeIndex;
  readonly #conflicting = new Map<string, EntryPosition[]>();
  readonly #missing = new Map<string, string[]>();
  readonly #touched = new Set<string>();

  constructor(session: DatabaseSession, stream: number, changes: ChangeIndex) {
    this.#session = session;
    this.#stream = stream;
    this.#changes = changes;
  }

  /** Loads what is stored of these registers. Must be called before `apply`. */
  async load(regs: readonly string[]): Promise<void> {
    if (regs.length === 0) return;
    const { account } = this.#session;
    const rows = await headsQuery(this.#session, { account, stream: this.#stream, regs }).execute();
    for (const { reg, seq, idx, name } of rows) {
      if (name === null)
        this.#conflicting.set(reg, [...(this.#conflicting.get(reg) ?? []), { seq, index: idx }]);
      else this.#missing.set(reg, [...(this.#missing.get(reg) ?? []), name]);
    }
    await this.#changes.loadSeqs(rows.flatMap(({ seq, name }) => (name === null ? [seq] : [])));
  }

  conflicting(reg: string): readonly EntryPosition[] {
    return this.#conflicting.get(reg) ?? [];
  }

  /**
   * Applies one entry to its register. The common case, an entry that cites the only head or finds
   * none, is handled first.
   */
  async apply(binding: RegisterBinding, entry: PlacedEntry): Promise<void> {
    const { head } = binding;
    if (!this.#conflicting.has(binding.reg) && !this.#missing.has(binding.reg)) {
      const [parent] = entry.parents;
      const citesHead =
        head === null
          ? entry.parents.length === 0
          : entry.parents.length === 1 && parent === this.#changes.nameOf(head);
      if (citesHead) {
        binding.head = { seq: entry.seq, index: entry.index };
        binding.show(
          entry.value,
          entry.restores === undefined ? null : await this.#changes.originOf(binding.reg, entry),
        );
        return;
      }
    }
    await this.#applyFully(binding, entry);
  }

  async #applyFully(binding: RegisterBinding, entry: PlacedEntry): Promise<void> {
    const { reg } = binding;
    const refs = [...(binding.head === null ? [] : [binding.head]), ...this.conflicting(reg)];
    const settled = new Set<string>();
    for (const parent of entry.parents)
      if (await this.#changes.isSettled(parent, reg)) settled.add(parent);
    const state = applyEntry(
      { heads: refs.map((ref) => this.#headEntry(ref)), cited: this.#missing.get(reg) ?? [] },
      this.#headEntry(entry),
      entry.parents,
      (name) => settled.has(name),
    );
    const shown = displayedHead(state);
    this.#touched.add(reg);
    if (state.cited.length > 0) this.#missing.set(reg, [...state.cited]);
    else this.#missing.delete(reg);
    const others = state.heads
      .filter((other) => other !== shown)
      .map((other) => this.#refOf(other.name));
    if (others.length > 0) this.#conflicting.set(reg, others);
    else this.#conflicting.delete(reg);
    if (shown === undefined) throw new Error('A register with entries has no head.');
    const ref = this.#refOf(shown.name);
    const { value, restores } = await this.#entryAt(ref, entry);
    if (binding.head === null || binding.head.seq !== ref.seq || binding.head.index !== ref.index) {
      binding.head = ref;
      binding.show(value, await this.#changes.originOf(reg, { restores, value }));
    }
    const register = parseRegister(reg);
    let contested = false;
    for (const other of others) {
      const { value: its } = await this.#entryAt(other, entry);
      contested ||= register === undefined || !sameContent(register, value, its);
    }
    binding.noteConflict(others.length > 0, contested);
  }

  async #entryAt(
    ref: EntryPosition,
    entry: PlacedEntry,
  ): Promise<{ value: unknown; restores?: unknown }> {
    return ref.seq === entry.seq && ref.index === entry.index ? entry : this.#changes.entryAt(ref);
  }

  #headEntry(ref: EntryPosition): HeadEntry {
    return { name: this.#changes.nameOf(ref), hlc: this.#changes.at(ref.seq).hlc };
  }

  #refOf(name: string): EntryPosition {
    const parts = parseEntryName(name);
    const info = parts === undefined ? undefined : this.#changes.byId(parts.id);
    if (parts === undefined || info === undefined) throw new Error('A head is not in the log.');
    return { seq: info.seq, index: parts.index };
  }

  async flush(): Promise<void> {
    if (this.#touched.size === 0) return;
    const regs = [...this.#touched];
    const { db } = this.#session;
    await db
      .deleteFrom('extra_heads')
      .where('account', '=', this.#session.account)
      .where('stream_pk', '=', this.#stream)
      .where('reg', 'in', this.#session.list(regs))
      .execute();
    await db
      .deleteFrom('cited')
      .where('account', '=', this.#session.account)
      .where('stream_pk', '=', this.#stream)
      .where('reg', 'in', this.#session.list(regs))
      .execute();
    await this.#session.insert(
      'extra_heads',
      ['stream_pk', 'reg', 'seq', 'idx'],
      regs.flatMap((reg) =>
        this.conflicting(reg).map((ref) => [this.#stream, reg, ref.seq, ref.index]),
      ),
    );
    await this.#session.insert(
      'cited',
      ['stream_pk', 'reg', 'name'],
      regs.flatMap((reg) =>
        (this.#missing.get(reg) ?? []).map((name) => [this.#stream, reg, name]),
      ),
    );
    this.#touched.clear();
  }
}
