import type { z } from 'zod';
import { changes } from '../../shared/contract/sync.ts';
import { DamagedChangeError, type SealedChange, unseal } from '../../sync/change.ts';
import { applyChange } from './apply-change.ts';
import type { MatrixRow } from './db.ts';
import { type Link, type Step, stepOf } from './link.ts';
import { advance, seen, witnessHeader } from './log-position.ts';

type Page = z.output<typeof changes.response>;

/** Reads one page of the log and applies it whole, data and cursor in one transaction (R1), or not at all. */
export async function pullOnce(link: Link): Promise<Step> {
  const { row, life } = link;
  const result = await link.client.call(changes, { params: { caseUid: row.case_uid }, query: { after: String(row.pull_seq) }, headers: witnessHeader(row), signal: link.signal });
  if (link.life !== life) return { kind: 'again' };
  if (result.kind !== 'ok') return stepOf(result);
  const { body } = result;
  if (body.epoch !== row.epoch) return { kind: 'diverged' };
  const next = checkPage(row, body, link);
  if (next === undefined) return { kind: 'later', online: false, retryAfter: null, problem: null };
  if (body.n === 0) return body.count === row.count && body.sum === row.sum ? { kind: 'done' } : { kind: 'diverged' };

  let sealed: SealedChange[];
  try {
    sealed = body.changes.flatMap(({ id, change }) => (link.state.names.isApplied(id) ? [] : unseal(id, change, link.hasher)));
  } catch (error) {
    if (!(error instanceof DamagedChangeError)) throw error;
    return { kind: 'later', online: true, retryAfter: null, problem: `The server sent a change that cannot be read (${error.code}). Nothing of it was taken over.` };
  }
  link.writer.sealAll();
  const { state } = link;
  const { orphans } = state;
  for (const change of sealed) {
    // Sealing may just have named this one: then it is our own.
    if (state.names.isApplied(change.id)) continue;
    link.seeClock(change.change.hlc);
    applyChange(state, change);
  }
  state.arrange();
  state.store.publish();
  const change = { ...next, witness: seen(row, { seq: body.to, chain: body.chain }), last_ok: link.now() };
  await link.writer.enqueue({ rows: state.takeDirty(), link: { rev: link.row.rev, change: () => change } });
  link.row = { ...link.row, ...change, rev: link.row.rev + 1 };
  if (row.pull_seq < state.drift && state.orphans > orphans) return { kind: 'stale' };
  return { kind: body.more ? 'again' : 'done' };
}

/** The link's position after the page, or undefined if the page is cut short or is not the continuation of what was read. */
function checkPage(row: MatrixRow, page: Page, link: Link): ReturnType<typeof advance> | undefined {
  if (page.from !== row.pull_seq || page.n !== page.changes.length || page.to !== page.from + page.n) return undefined;
  if (page.changes.some((change, at) => change.seq !== page.from + 1 + at)) return undefined;
  const next = advance(row, page.changes.map(({ id }) => id), link.hasher);
  return next.pull_chain === page.chain ? next : undefined;
}
