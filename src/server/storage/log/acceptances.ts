import type { RecordedBy } from '../../../shared/contract/v1/evidence.ts';
import { parseEntryName } from '../../../sync/change.ts';
import type { DatabaseSession } from '../db/session.ts';
import type { ChangeIndex, EntryPosition } from './change-index.ts';
import { recordedBy } from './recorded-by.ts';

/**
 * Entries of a log's record by which people accepted suggestions, and whose those were. Read on
 * demand, for the length of one transaction; most logs have none.
 */
export class Acceptances {
  readonly #session: DatabaseSession;
  readonly #stream: number;
  readonly #changes: ChangeIndex;
  /** By change: the change that each accepted suggestion is in, by the entry's index. */
  readonly #bySeq = new Map<number, Map<number, number>>();
  #areNone: boolean | undefined;

  constructor(session: DatabaseSession, stream: number, changes: ChangeIndex) {
    this.#session = session;
    this.#stream = stream;
    this.#changes = changes;
  }

  /** Says whether there are any, where that is known already. */
  know(areAny: boolean): void {
    this.#areNone = !areAny;
  }

  get areNone(): boolean {
    return this.#areNone === true;
  }

  /** Reads those in these changes. */
  async load(seqs: Iterable<number>): Promise<void> {
    if (this.#areNone === true) return;
    const wanted = [...new Set(seqs)].filter((seq) => !this.#bySeq.has(seq));
    if (wanted.length === 0) return;
    if (this.#areNone === undefined) {
      const any = await this.#select().select('seq').limit(1).executeTakeFirst();
      this.#areNone = any === undefined;
      if (this.#areNone) return;
    }
    for (const seq of wanted) this.#bySeq.set(seq, new Map());
    const rows = await this.#select()
      .select(['seq', 'idx', 'from_seq'])
      .where(this.#session.inList('seq', wanted))
      .execute();
    const said = new Set<number>();
    for (const { seq, idx, from_seq } of rows)
      if (from_seq !== null) {
        this.#bySeq.get(seq)?.set(idx, from_seq);
        said.add(seq).add(from_seq);
      }
    await this.#changes.loadSeqs(said);
  }

  #select() {
    return this.#session.db
      .selectFrom('acceptances')
      .where('account', '=', this.#session.account)
      .where('stream_pk', '=', this.#stream)
      .where('from_seq', 'is not', null);
  }

  /**
   * Whose suggestion an entry accepted and who accepted it; undefined where it accepts none. `keys`:
   * whether the identifiers of keys are shown.
   */
  recordedBy({ seq, index }: EntryPosition, keys: boolean): RecordedBy | undefined {
    const from = this.#bySeq.get(seq)?.get(index);
    return from === undefined
      ? undefined
      : {
          ...recordedBy(this.#changes.at(from), keys),
          accepted_by: this.#changes.at(seq).author,
        };
  }

  /** The same of an entry by its name, of a change that is loaded. */
  ofEntry(name: string, keys: boolean): RecordedBy | undefined {
    const parts = parseEntryName(name);
    const info = parts && this.#changes.byId(parts.id);
    return parts === undefined || info === undefined
      ? undefined
      : this.recordedBy({ seq: info.seq, index: parts.index }, keys);
  }
}
