import type { Failure } from '../../shared/contract/call.ts';
import type { Blame } from '../faults.ts';
import { isCurrent, type CheckedAnswer, type PushReply, stampOf } from '../link.ts';
import type { Driven, StepOutcome, Sendable } from './ports.ts';

/** `reply`: the answer to the last batch that was taken. `keptBack`: a change was kept back. */
export type PushOutcome = StepOutcome & { reply?: PushReply; keptBack?: true };

export const unusable = (checked: Exclude<CheckedAnswer, { kind: 'use' }>): StepOutcome =>
  checked.kind === 'diverged' ? { kind: 'diverged' } : { kind: checked.why };

/** Sends these changes in one request. `to`: the own position that it covers (R2). */
export async function deliver(
  link: Driven,
  changes: readonly Sendable[],
  to: number,
  aside = false,
): Promise<PushOutcome> {
  const { store, state, rules } = link;
  const { row } = store;
  const request = { ...stampOf(row), ids: changes.map(({ id }) => id), to };
  const result = await link.upstream.push(changes, row);
  if (result.kind !== 'ok')
    return isCurrent(store.row, request)
      ? { kind: 'failed', failure: result, phase: 'push' }
      : { kind: 'stale' };
  const checked = rules.pushAnswer(store.row, request, result.body, link.hasher);
  if (checked.kind !== 'use') return unusable(checked);
  await store.acknowledge(checked.row, changes, result.body, aside);
  state.faults = rules.afterTaken(state.faults);
  return { kind: 'again', reply: result.body };
}

/**
 * R12: whether a failed request is to be blamed on what it carried: only where the other side
 * answers another question right after.
 */
export async function blameFor(
  link: Driven,
  sent: { head: string; size: number },
  failure: Failure,
): Promise<Blame> {
  const { store, state, rules } = link;
  if (!rules.isSuspicious(rules.answerOf(failure))) return 'wait';
  const stamp = stampOf(store.row);
  const answered = await link.upstream.answers();
  if (link.ended || !isCurrent(store.row, stamp)) return 'wait';
  const { faults, verdict } = rules.blame(state.faults, sent, link.elapsed(), answered);
  state.faults = faults;
  return verdict;
}

/**
 * A studio's key may bring what others wrote. Where the other side refuses an author all the same,
 * that concerns their changes alone: those that it names are kept back, and the others go.
 * Undefined where the key is no studio's, which holds everything back.
 */
async function authorsOf(
  { upstream }: Driven,
  changes: readonly Sendable[],
  failure: Failure,
): Promise<readonly Sendable[] | undefined> {
  if (
    failure.kind !== 'refused' ||
    failure.code !== 'author_not_allowed' ||
    !(await upstream.takesOthers())
  )
    return undefined;
  return failure.details.flatMap(
    ({ path }) => changes[Number(/^\/changes\/(\d+)/.exec(path)?.[1] ?? '-1')] ?? [],
  );
}

/** Sends half as many next time, or keeps back the one change that is left. */
async function narrow(
  link: Driven,
  changes: readonly Sendable[],
  failure: Failure,
  mark: string | null,
): Promise<PushOutcome> {
  const { state } = link;
  if (changes.length === 1) return keepBack(link, changes, failure, mark);
  state.most = Math.ceil(changes.length / 2);
  return { kind: 'again' };
}

async function keepBack(
  { store, state, mostChanges }: Driven,
  changes: readonly Sendable[],
  failure: Failure,
  mark: string | null,
): Promise<PushOutcome> {
  await store.keepBack(changes, { failure, mark });
  // What is asked for next does not name them.
  state.lacking = null;
  state.most = mostChanges;
  return { kind: 'again', keptBack: true };
}

/** R10, R12: what becomes of a batch that was not taken. Undefined: it is as good as any, later. */
async function refused(
  link: Driven,
  changes: readonly Sendable[],
  failure: Failure,
): Promise<PushOutcome | undefined> {
  const { state, rules } = link;
  const action = rules.ACTIONS.push[rules.answerOf(failure)];
  if (action.do === 'halve') return narrow(link, changes, failure, action.mark);
  const named = await authorsOf(link, changes, failure);
  if (named !== undefined)
    return named.length === 0
      ? narrow(link, changes, failure, null)
      : keepBack(link, named, failure, null);
  const batch = { head: changes[0]?.id ?? '', size: changes.length };
  switch (await blameFor(link, batch, failure)) {
    case 'wait':
      return undefined;
    case 'again':
      state.most = 1;
      return { kind: 'again' };
    case 'halve':
      state.most = Math.ceil(changes.length / 2);
      return { kind: 'again' };
    case 'set_aside': {
      const kept = await keepBack(link, changes, failure, null);
      Object.assign(state, { faults: null, doubtful: true });
      return kept;
    }
  }
}

/**
 * Sends one batch. After one that was taken the next may be twice as large: a server that takes no
 * larger ones refuses every second, and no other is halved again and again.
 */
export async function pushBatch(
  link: Driven,
  changes: readonly Sendable[],
  to: number,
): Promise<PushOutcome> {
  const { state, store } = link;
  const instead = await store.prepare?.(changes, link);
  if (instead !== undefined) return instead;
  const sent = await deliver(link, changes, to);
  if (sent.kind === 'failed') return (await refused(link, changes, sent.failure)) ?? sent;
  if (sent.reply !== undefined) state.most = Math.min(link.mostChanges, state.most * 2);
  return sent;
}

/**
 * R6: of the changes that were sent in an earlier generation of the link, sends only those that are
 * missing on the other side.
 */
async function offerAgain(link: Driven): Promise<PushOutcome> {
  const { store, state, rules } = link;
  const { row } = store;
  const { lacking } = state;
  if (lacking !== null && lacking.gen === row.gen && lacking.from === row.push_pos)
    return sendLacking(link, lacking);
  const { changes, to } = await store.sentBefore();
  if (changes.length === 0) {
    await store.move(rules.passOver(row, to));
    return { kind: 'again' };
  }
  const request = { ...stampOf(row), ids: changes.map(({ id }) => id), to };
  const result = await link.upstream.missing(request.ids, row);
  if (result.kind !== 'ok')
    return isCurrent(store.row, request)
      ? { kind: 'failed', failure: result, phase: 'recover' }
      : { kind: 'stale' };
  const checked = rules.missingAnswer(store.row, request, result.body);
  if (checked.kind !== 'use') return unusable(checked);
  await store.move(checked.row);
  const wanted = new Set(checked.send);
  const { gen, push_pos: from } = store.row;
  state.lacking =
    wanted.size === 0
      ? null
      : { gen, from, changes: changes.filter(({ id }) => wanted.has(id)), to };
  return { kind: 'again' };
}

async function sendLacking(
  link: Driven,
  lacking: NonNullable<Driven['state']['lacking']>,
): Promise<PushOutcome> {
  const { store, state } = link;
  const batch = await store.read(lacking.changes, state.most);
  const last = batch.at(-1);
  if (last === undefined) {
    state.lacking = null;
    return { kind: 'again' };
  }
  const left = lacking.changes.slice(batch.length);
  const sent = await pushBatch(link, batch, left.length === 0 ? lacking.to : last.seq);
  if (sent.reply !== undefined)
    state.lacking =
      left.length === 0 ? null : { ...lacking, from: store.row.push_pos, changes: left };
  return sent;
}

/**
 * Sends one batch of what waits, or asks what of it is missing there: one request at most. `done`:
 * all that waited at the beginning has been sent.
 */
export async function pushOnce(link: Driven): Promise<PushOutcome> {
  const { store, state, rules } = link;
  const { row } = store;
  if (row.push_pos < row.again_to) return offerAgain(link);
  const { changes, to, more, blocked } = await store.unsent(state.most);
  if (changes.length > 0) {
    const sent = await pushBatch(link, changes, to);
    return more || sent.kind !== 'again' || sent.reply === undefined
      ? sent
      : { ...sent, kind: 'done' };
  }
  if (blocked !== undefined) return { kind: 'blocked', why: blocked };
  if (to > row.push_pos) await store.move(rules.passOver(row, to));
  return { kind: more ? 'again' : 'done' };
}

/**
 * Sends all that waits. What is written while its last batch is under way is left for the next
 * cycle: who keeps writing faster than the other side answers would never read.
 */
export async function pushAll(link: Driven): Promise<PushOutcome> {
  let reply: PushReply | undefined;
  for (;;) {
    const pushed = await pushOnce(link);
    reply = pushed.reply ?? reply;
    if (pushed.kind !== 'again' || link.ended)
      return { ...pushed, ...(reply !== undefined && { reply }) };
  }
}

/** Most changes that were set aside and are offered again in one cycle. */
const ASIDE_AT_ONCE = 20;

/**
 * R12: offers what was set aside again, each change alone: after an upgrade of either side, when a
 * person asks, after a while, and once when something was taken since (`taken`), which shows that
 * the other side can take changes at all. Returns whether one of them was taken.
 */
export async function offerAside(link: Driven, taken: boolean): Promise<boolean> {
  const { store, state, rules } = link;
  const all = state.offer || (taken && state.doubtful);
  state.offer = false;
  if (taken) state.doubtful = false;
  const due = (await store.aside()).filter(
    (aside) => all || rules.isDueAgain(aside, link.now(), link.versions),
  );
  let accepted = false;
  for (const aside of due.slice(0, ASIDE_AT_ONCE)) {
    const [change] = await store.read([aside], 1);
    if (change === undefined || link.ended) return accepted;
    const sent = await deliver(link, [change], store.row.push_pos, true);
    if (sent.reply !== undefined) accepted = true;
    else if (sent.kind !== 'failed' || !(await stillRefused(link, change, sent.failure)))
      return accepted;
  }
  return accepted;
}

/** Whether a change that was offered again is kept back for what it is, and the next one may go. */
async function stillRefused(link: Driven, change: Sendable, failure: Failure): Promise<boolean> {
  const { rules, store, upstream } = link;
  const answer = rules.answerOf(failure);
  const action = rules.ACTIONS.push[answer];
  const mark = action.do === 'halve' ? action.mark : null;
  if (
    mark === null &&
    (await authorsOf(link, [change], failure)) === undefined &&
    !(rules.isSuspicious(answer) && (await upstream.answers()))
  )
    return false;
  await store.keepBack([change], { failure, mark });
  return true;
}
