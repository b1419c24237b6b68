import type { DatabaseSession } from '../db/session.ts';

/**
 * Entries of a log's record by which people accepted suggestions, and whose those were. Read on
 * demand, for the length of one transaction; most logs have none.
 */
export class Acceptances {
  readonly #session: DatabaseSession;
  readonly #stream: number;
  readonly #changes: { loadSeqs(seqs: Iterable<number>): Promise<void> };
  /** By change: the change that each accepted suggestion is in, by the entry's index. */
  readonly #bySeq = new Map<number, Map<number, number>>();
  #areNone: boolean | undefined;

  constructor(
    session: DatabaseSession,
    stream: number,
    changes: { loadSeqs(seqs: Iterable<number>): Promise<void> },
  ) {
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
   * The change that holds the suggestion which an entry accepted; undefined where it accepts none.
   */
  suggestedIn({ seq, index }: { seq: number; index: number }): number | undefined {
    return this.#bySeq.get(seq)?.get(index);
  }
}
