import type { BlockReason } from '../../sync/answers.ts';
import type { Driven, StepOutcome } from '../../sync/driver/ports.ts';
import { compare, pullAll, type PullOutcome, recover } from '../../sync/driver/pull.ts';
import { offerAside, pushAll, type PushOutcome } from '../../sync/driver/push.ts';
import type { Digest } from '../../sync/log.ts';
import { StoreError } from '../storage/db/errors.ts';
import { drivenBy } from './hosted-upstream.ts';
import {
  type UpstreamConnection,
  type LinkState,
  STALE,
  type LinkStep,
  stepAfter,
} from './connection.ts';

const DISAGREE =
  'Both sides were compared again and still differ. Nothing was dropped; please export the diagnostics.';
const DAMAGED =
  'The hosted server sent a change that is not what its name says. Nothing of it was taken over.';
/** Most recoveries in one cycle: a server whose log keeps changing is left alone for a while. */
const MAX_RECOVERIES = 3;

/** What this cycle has to do. */
export interface Circumstances {
  /** The other side may have new changes. */
  look: boolean;
  /** Why nothing may be sent to the other side; null where it may. */
  sendingBlocked: BlockReason | null;
}

const ONLY_SENDING: ReadonlySet<BlockReason> = new Set(['read_only', 'not_a_studio', 'other_user']);

/** Whether to read although sending has ended so: yes where only sending is refused. */
function mayRead(step: LinkStep): boolean {
  return (
    step.kind === 'done' ||
    step.kind === 'diverged' ||
    (step.kind === 'later' && !step.host) ||
    (step.kind === 'blocked' && ONLY_SENDING.has(step.why))
  );
}

/** What sending came to: `again` is left only where the connection ends. */
function stepOfSending(link: LinkState, pushed: StepOutcome): LinkStep {
  return pushed.kind === 'again' ? STALE : stepAfter(link, pushed);
}

/** Reads all that is new. */
export async function readAll(
  driven: Driven,
  link: LinkState,
): Promise<{ step: LinkStep; page: PullOutcome['page'] }> {
  try {
    const pulled = await pullAll(driven);
    return { step: stepAfter(link, pulled), page: pulled.page };
  } catch (error) {
    if (
      error instanceof StoreError &&
      (error.code === 'hash_mismatch' || error.code === 'validation_failed')
    )
      return { step: { kind: 'stopped', problem: DAMAGED }, page: undefined };
    throw error;
  }
}

/** R6. Returns what the cycle must do instead where the link could not begin a new generation. */
export async function recoverLink(driven: Driven, link: LinkState): Promise<LinkStep | undefined> {
  const outcome = await recover(driven);
  return outcome.kind === 'again' ? undefined : stepAfter(link, outcome);
}

/** Sends nothing, since the other side would not take it; reports whether anything waits. */
async function holdBack({ store }: Driven, why: BlockReason): Promise<PushOutcome> {
  const { changes, blocked } = await store.unsent(1);
  return changes.length === 0 && blocked === undefined
    ? { kind: 'done' }
    : { kind: 'blocked', why };
}

/** R7. `again`: everything is offered again, in this cycle. */
async function compareBoth(driven: Driven, page: Digest): Promise<LinkStep | 'again'> {
  const verdict = await compare(driven, page);
  if (verdict === 'offered') return 'again';
  return verdict === 'unequal' ? { kind: 'stopped', problem: DISAGREE } : { kind: 'done' };
}

/** Sends what waits, then reads what is new where that is due. */
async function sendAndRead(
  driven: Driven,
  link: LinkState,
  { look, sendingBlocked }: Circumstances,
): Promise<{ step: LinkStep; last: Digest | undefined }> {
  const sent =
    sendingBlocked === null ? await pushAll(driven) : await holdBack(driven, sendingBlocked);
  const step = stepOfSending(link, sent);
  const { reply } = sent;
  if (!mayRead(step)) return { step, last: undefined };
  const taken = step.kind === 'done' && sendingBlocked === null;
  const mustLook = (taken && (await offerAside(driven, reply !== undefined))) || look;
  if (reply?.seq === link.row.pull_seq) return { step, last: reply };
  if (step.kind === 'diverged' || !(mustLook || reply !== undefined))
    return { step, last: undefined };
  const pulled = await readAll(driven, link);
  // A failure to send is reported rather than one to read: where the other side has no log yet,
  // there is nothing to read.
  const isReported =
    pulled.step.kind === 'diverged' || (pulled.step.kind !== 'done' && step.kind !== 'later');
  return { step: isReported ? pulled.step : step, last: pulled.page };
}

/** One cycle of a link: send what waits, read what is new, compare both sides. */
export async function syncLink(
  connection: UpstreamConnection,
  link: LinkState,
  { look, sendingBlocked }: Circumstances,
): Promise<LinkStep> {
  const driven = drivenBy(connection, link, look);
  for (let recoveries = 0; recoveries <= MAX_RECOVERIES; recoveries += 1) {
    const { step, last } = await sendAndRead(driven, link, {
      look: look || recoveries > 0,
      sendingBlocked,
    });
    if (step.kind === 'diverged') {
      const failed = await recoverLink(driven, link);
      if (failed !== undefined) return failed;
      continue;
    }
    if (step.kind !== 'done' || last === undefined) return step;
    const compared = await compareBoth(driven, last);
    if (compared !== 'again') return compared;
  }
  return {
    kind: 'later',
    host: false,
    online: true,
    retryAfter: null,
    problem: 'The hosted server’s log keeps changing its past.',
  };
}
