import { parseEntryName } from '../../../sync/change.ts';
import type { ChangeIndex, EntryPosition } from './change-index.ts';
import type { HeadMap, RegisterBinding } from './head-map.ts';
import { appliedEntries, type ValidatedChange } from './log-view.ts';
import type { DatabaseSession } from '../db/session.ts';

/** Displayed heads of the registers that have no row of their own: those of cases and projects. */
export class RegisterMap {
  readonly #session: DatabaseSession;
  readonly #stream: number;
  readonly #heads = new Map<string, EntryPosition>();
  readonly #changed = new Set<string>();

  constructor(session: DatabaseSession, stream: number) {
    this.#session = session;
    this.#stream = stream;
  }

  async load(regs: readonly string[]): Promise<void> {
    if (regs.length === 0) return;
    const rows = await this.#session.db
      .selectFrom('registers')
      .select(['reg', 'head_seq', 'head_index'])
      .where('account', '=', this.#session.account)
      .where('stream_pk', '=', this.#stream)
      .where('reg', 'in', this.#session.list(regs))
      .execute();
    for (const row of rows) this.#heads.set(row.reg, { seq: row.head_seq, index: row.head_index });
  }

  head(reg: string): EntryPosition | null {
    return this.#heads.get(reg) ?? null;
  }

  setHead(reg: string, head: EntryPosition): void {
    this.#heads.set(reg, head);
    this.#changed.add(reg);
  }

  seqs(): number[] {
    return [...this.#heads.values()].map((head) => head.seq);
  }

  binding(
    reg: string,
    show: (value: unknown) => void,
    noteConflict: RegisterBinding['noteConflict'] = () => {},
  ): RegisterBinding {
    const read = (): EntryPosition | null => this.head(reg);
    const write = (head: EntryPosition): void => this.setHead(reg, head);
    return {
      reg,
      get head() {
        return read();
      },
      set head(head: EntryPosition | null) {
        if (head !== null) write(head);
      },
      show,
      noteConflict,
    };
  }

  async flush(): Promise<void> {
    const rows = [...this.#changed].map((reg) => {
      const head = this.#heads.get(reg) as EntryPosition;
      return [this.#stream, reg, head.seq, head.index];
    });
    await this.#session.insert('registers', ['stream_pk', 'reg', 'head_seq', 'head_index'], rows, {
      target: ['stream_pk', 'reg'],
      update: ['head_seq', 'head_index'],
    });
    this.#changed.clear();
  }
}

/** Loads what stands in the registers that these changes write, and the changes that they cite. */
export async function loadRegisters(
  { registers, heads }: { registers: RegisterMap; heads: HeadMap },
  index: ChangeIndex,
  changes: readonly ValidatedChange[],
): Promise<void> {
  const entries = changes.flatMap((change) => [...appliedEntries(change)]);
  const regs = [...new Set(entries.map(({ entry }) => entry.reg))];
  await registers.load(regs);
  await heads.load(regs);
  await index.loadSeqs(registers.seqs());
  await index.loadIds(
    entries.flatMap(({ entry }) => entry.parents.flatMap((name) => parseEntryName(name)?.id ?? [])),
  );
}
