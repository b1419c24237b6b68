import type { AccountId, CaseUid } from '../../../shared/contract/ids.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { Register } from '../../../sync/register.ts';
import type { WriteContext } from '../db/context.ts';
import { noteAccount } from '../log/change-log.ts';
import type { EntryPosition } from '../log/change-index.ts';

const COLUMNS = ['case_uid', 'round_id', 'seq', 'idx', 'kind', 'recorder', 'value', 'opens'];
const KEY = ['case_uid', 'round_id', 'seq', 'idx'];

/** What a case's log announces about rounds, while a transaction works on it. */
export class RoundMap {
  readonly #caseUid: CaseUid;
  readonly #rows: unknown[][] = [];
  readonly #titles = new Map<string, string>();

  constructor(caseUid: CaseUid) {
    this.#caseUid = caseUid;
  }

  /** Notes an applied announcement. `opens`: whether it was brought as YR9 asks. */
  announce(register: Register, value: unknown, at: EntryPosition, opens: boolean): void {
    if (!('round' in register)) return;
    const recorder = 'recorder' in register ? register.recorder : '';
    const kind = register.kind === 'round' ? register.field : register.kind;
    this.#rows.push([
      this.#caseUid,
      register.round,
      at.seq,
      at.index,
      kind,
      recorder,
      canonicalJson(value),
      opens ? 1 : 0,
    ]);
  }

  show(round: string, title: string): void {
    this.#titles.set(round, title);
  }

  async flush(ctx: WriteContext, account: AccountId): Promise<void> {
    const { session } = ctx;
    if (this.#titles.size > 0)
      await session.insert(
        'round_titles',
        ['case_uid', 'round_id', 'title'],
        [...this.#titles].map(([round, title]) => [this.#caseUid, round, title]),
        { target: ['case_uid', 'round_id'], update: ['title'] },
      );
    this.#titles.clear();
    if (this.#rows.length === 0) return;
    await session.insert('round_entries', COLUMNS, this.#rows, { target: KEY, update: [] });
    // With a release others are given logs that did not move by it.
    noteAccount(ctx, account, `rounds of ${this.#caseUid} ${String(this.#rows[0]?.[2])}`);
    this.#rows.length = 0;
  }
}
