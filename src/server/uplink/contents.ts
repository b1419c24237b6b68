import { isCaseStream } from '../../sync/register.ts';
import type { LinkState, UpstreamConnection } from './connection.ts';
import type { Positions } from './positions.ts';
import { fetchRun, lackingThere, sendRun } from './runs.ts';
import type { ContentState } from '../storage/runs/run-check.ts';
import type { CaseUid } from '../../shared/contract/ids.ts';

const ASK_AGAIN_MS = 3_600_000;

/**
 * Of the cases that are synced, and only where their logs have been read: what was announced since
 * brings its content itself.
 */
export function comparedCases(
  links: Iterable<LinkState>,
  { streams }: Positions,
): Map<CaseUid, { runs: number }> {
  const cases = new Map<CaseUid, { runs: number }>();
  for (const { stream, row } of links) {
    const there = streams.get(stream);
    if (
      isCaseStream(stream) &&
      there !== undefined &&
      there.project_id !== null &&
      there.seq <= row.pull_seq
    )
      cases.set(stream, there);
  }
  return cases;
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
    cases: ReadonlyMap<CaseUid, { runs: number }>,
    maySend: boolean,
  ): Promise<void> {
    if (cases.size === 0) return;
    const { store, account, client, signal } = connection;
    const counts = await store.read((reader) => reader.runs.counts(account, [...cases.keys()]));
    const statesOf = (caseUid: CaseUid) =>
      store.read((reader) => reader.runs.states(account, caseUid));
    for (const { case_uid, lacking } of counts) {
      const damaged = lacking === 0 ? [] : (await statesOf(case_uid)).filter(({ whole }) => !whole);
      for (const { run_uid, content_hash } of damaged)
        if (!signal.aborted) await fetchRun(client, store, run_uid, content_hash, signal);
    }
    if (!maySend) return;
    for (const { case_uid, known } of counts) {
      const there = cases.get(case_uid);
      if (there === undefined || there.runs >= known || signal.aborted) continue;
      const whole = (await statesOf(case_uid)).filter((state) => state.whole);
      if (!(await this.#send(connection, case_uid, there.runs, whole))) return;
    }
  }

  /** Returns whether the next case may be tried. */
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
