import type { UpstreamConnection } from './connection.ts';
import { fetchRun, lackingThere, sendRun } from './runs.ts';
import type { ContentState } from '../storage/runs/run-check.ts';
import type { CaseUid } from '../../shared/contract/ids.ts';

const ASK_AGAIN_MS = 3_600_000;

/** How far the contents of a case's runs are on both sides. */
export interface Contents {
  /** Known here or announced, each content of each run once. */
  known: number;
  /** Not whole here, whether they never came or were damaged. */
  lackingHere: number;
}

export function countContents(states: readonly ContentState[]): Map<CaseUid, Contents> {
  const counts = new Map<CaseUid, Contents>();
  for (const { case_uid, here } of states) {
    const { known, lackingHere } = counts.get(case_uid) ?? { known: 0, lackingHere: 0 };
    counts.set(case_uid, { known: known + 1, lackingHere: lackingHere + (here ? 0 : 1) });
  }
  return counts;
}

/**
 * R13: equality covers the contents of runs. The other side tells how many of a case's runs are
 * whole there. Where it is fewer than are known here, it is asked which it lacks, and those that
 * are whole here are sent, whoever made them; what is damaged here is fetched again.
 */
export class ContentSync {
  /**
   * How many runs of a case were whole there when it was last asked which are not, and when that
   * was, in elapsed time.
   */
  readonly #asked = new Map<string, { runs: number; whole: number; at: number }>();

  /** Everything is asked again: a person wants it, or another server may answer. */
  forget(): void {
    this.#asked.clear();
  }

  async sync(
    connection: UpstreamConnection,
    cases: ReadonlyMap<string, { runs: number }>,
    maySend: boolean,
  ): Promise<void> {
    const { store, account, client, signal } = connection;
    const states = await store.read((reader) => reader.runs.states(account));
    for (const { run_uid, content_hash, case_uid, damaged_at } of states) {
      if (damaged_at !== null && cases.has(case_uid) && !signal.aborted)
        await fetchRun(client, store, run_uid, content_hash, signal);
    }
    if (!maySend) return;
    for (const [caseUid, { known }] of countContents(states)) {
      const there = cases.get(caseUid);
      if (there === undefined || there.runs >= known || signal.aborted) continue;
      if (
        !(await this.#send(
          connection,
          caseUid,
          there.runs,
          states.filter((state) => state.case_uid === caseUid && state.here),
        ))
      )
        return;
    }
  }

  /** Returns whether to go on with the next case. */
  async #send(
    { store, client, signal, elapsed }: UpstreamConnection,
    caseUid: CaseUid,
    runs: number,
    whole: readonly ContentState[],
  ): Promise<boolean> {
    const before = this.#asked.get(caseUid);
    if (
      whole.length === 0 ||
      (before !== undefined &&
        before.runs === runs &&
        before.whole === whole.length &&
        elapsed() - before.at < ASK_AGAIN_MS)
    )
      return true;
    const lacking = await lackingThere(
      client,
      [...new Set(whole.map(({ content_hash }) => content_hash))],
      signal,
    );
    // A server of an earlier version does not know the question.
    if (lacking.kind !== 'ok') return lacking.kind === 'refused';
    this.#asked.set(caseUid, { runs, whole: whole.length, at: elapsed() });
    const wanted = new Set(lacking.hashes);
    for (const uid of new Set(
      whole.filter(({ content_hash }) => wanted.has(content_hash)).map(({ run_uid }) => run_uid),
    )) {
      if (signal.aborted) return false;
      const sent = await sendRun(client, store, uid, signal);
      if (sent.kind === 'no_answer') return false;
    }
    return true;
  }
}
