import { isCurrent, type PullReply, stampOf } from '../link.ts';
import type { Digest } from '../log.ts';
import type { Driven, StepOutcome } from './ports.ts';
import { unusable } from './push.ts';

/** `page`: the page that was stored. */
export type PullOutcome = StepOutcome & { page?: PullReply };

/** Reads one page and stores it in one transaction with the link's next row (R1). */
export async function pullOnce(link: Driven): Promise<PullOutcome> {
  const { store, state, rules } = link;
  const { row } = store;
  const request = { ...stampOf(row), from: row.pull_seq };
  const result = await link.upstream.changes(state.page, row);
  if (result.kind !== 'ok') {
    if (!isCurrent(store.row, request)) return { kind: 'stale' };
    // A page that the other side fails on may succeed in parts.
    state.page = Math.max(1, Math.floor(state.page / 2));
    return { kind: 'failed', failure: result, phase: 'pull' };
  }
  const { body } = result;
  const checked = rules.pullAnswer(store.row, request, body, link.hasher);
  if (checked.kind !== 'use') return unusable(checked);
  state.page = Math.min(link.mostChanges, state.page * 2);
  const instead = await store.receive(checked.row, body);
  return instead ?? { kind: body.more ? 'again' : 'done', page: body };
}

/** Reads page after page until nothing is new. */
export async function pullAll(link: Driven): Promise<PullOutcome> {
  for (;;) {
    const pulled = await pullOnce(link);
    if (pulled.kind !== 'again' || link.ended) return pulled;
  }
}

/**
 * R6: finds the last position that both logs have in common and begins a new generation of the link
 * from there. Nothing is deleted.
 */
export async function recover(link: Driven): Promise<StepOutcome> {
  const { store, rules } = link;
  const { row } = store;
  const stamp = stampOf(row);
  const result = await link.upstream.ancestor(rules.marksOf(row), row);
  if (!isCurrent(store.row, stamp)) return { kind: 'stale' };
  if (result.kind !== 'ok') return { kind: 'failed', failure: result, phase: 'recover' };
  await store.move(rules.diverged(store.row, result.body));
  return { kind: 'again' };
}

/**
 * R7: compares both sides after the last page. `open`: it is too early to compare. `offered`: they
 * differ, so everything is offered again, once. `unequal`: they still differ.
 */
export async function compare(
  link: Driven,
  page: Digest,
): Promise<'open' | 'equal' | 'offered' | 'unequal'> {
  const { store, state, rules } = link;
  const { row } = store;
  const own = await store.ownSet();
  // While the other side refuses some changes, the two sets differ and are not reported as equal.
  if (own === undefined || own.keptBack > 0) return 'open';
  // What arrived here in the meantime is left for the next cycle.
  const verdict = rules.verify({ more: false, ...page }, own, own.seq - row.push_pos);
  if (verdict === 'open') return 'open';
  if (verdict === 'equal') {
    await store.verified({ ...row, rev: row.rev + 1 }, own);
    state.unequal = 0;
    return 'equal';
  }
  if (state.unequal > 0) return 'unequal';
  await store.move({ ...rules.startOver(row), again_to: own.seq });
  // A generation counts once it is stored: where another process has moved the link, both sides
  // were not offered everything yet.
  state.unequal += 1;
  return 'offered';
}
