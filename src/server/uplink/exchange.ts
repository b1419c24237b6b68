import type { ParkReason } from '../../sync/answers.ts';
import type { Driven, Outcome } from '../../sync/driver/ports.ts';
import { compare, pullAll, type Pulled, recover } from '../../sync/driver/pull.ts';
import { offerAside, pushAll, type Pushed } from '../../sync/driver/push.ts';
import type { Digest } from '../../sync/log.ts';
import { StoreError } from '../storage/db/errors.ts';
import { drivenBy } from './hosted-upstream.ts';
import { type Line, type LinkState, STALE, type Turn, turnAfter } from './line.ts';

const DISAGREE =
  'Both sides were compared again and still differ. Nothing was dropped; please export the diagnostics.';
const DAMAGED =
  'The hosted server sent a change that is not what its name says. Nothing of it was taken over.';
/** Most recoveries in one turn: a server whose log keeps changing is left alone for a while. */
const MAX_RECOVERIES = 3;

/** What this turn has to do. */
export interface Circumstances {
  /** The other side may have new changes. */
  look: boolean;
  /** Why nothing may be sent to the other side; null where it may. */
  held: ParkReason | null;
}

const ONLY_SENDING: ReadonlySet<ParkReason> = new Set(['read_only', 'not_a_studio', 'other_user']);

/** Whether to read although sending has ended so: yes where only sending is refused. */
function goesOn(turn: Turn): boolean {
  return (
    turn.kind === 'done' ||
    turn.kind === 'diverged' ||
    (turn.kind === 'later' && !turn.host) ||
    (turn.kind === 'parked' && ONLY_SENDING.has(turn.why))
  );
}

/** What sending came to: `again` is left only where the connection ends. */
function turnOfSending(link: LinkState, pushed: Outcome): Turn {
  return pushed.kind === 'again' ? STALE : turnAfter(link, pushed);
}

/** Reads all that is new. */
export async function readAll(
  driven: Driven,
  link: LinkState,
): Promise<{ turn: Turn; page: Pulled['page'] }> {
  try {
    const pulled = await pullAll(driven);
    return { turn: turnAfter(link, pulled), page: pulled.page };
  } catch (error) {
    if (
      error instanceof StoreError &&
      (error.code === 'hash_mismatch' || error.code === 'validation_failed')
    )
      return { turn: { kind: 'stopped', problem: DAMAGED }, page: undefined };
    throw error;
  }
}

/** R6. Returns what the turn must do instead where the link could not begin a new generation. */
export async function recoverLink(driven: Driven, link: LinkState): Promise<Turn | undefined> {
  const outcome = await recover(driven);
  return outcome.kind === 'again' ? undefined : turnAfter(link, outcome);
}

/** Sends nothing, since the other side would not take it; reports whether anything waits. */
async function holdBack({ store }: Driven, why: ParkReason): Promise<Pushed> {
  const { changes, blocked } = await store.unsent(1);
  return changes.length === 0 && blocked === undefined
    ? { kind: 'done' }
    : { kind: 'blocked', why };
}

/** R7. `again`: everything is offered again, in this turn. */
async function compareBoth(driven: Driven, page: Digest): Promise<Turn | 'again'> {
  const verdict = await compare(driven, page);
  if (verdict === 'offered') return 'again';
  return verdict === 'unequal' ? { kind: 'stopped', problem: DISAGREE } : { kind: 'done' };
}

/** Sends what waits, then reads what is new where that is due. */
async function sendAndRead(
  driven: Driven,
  link: LinkState,
  { look, held }: Circumstances,
): Promise<{ turn: Turn; last: Digest | undefined }> {
  const sent = held === null ? await pushAll(driven) : await holdBack(driven, held);
  const turn = turnOfSending(link, sent);
  const { reply } = sent;
  if (!goesOn(turn)) return { turn, last: undefined };
  const taken = turn.kind === 'done' && held === null;
  const mustLook = (taken && (await offerAside(driven, reply !== undefined))) || look;
  if (reply?.seq === link.row.pull_seq) return { turn, last: reply };
  if (turn.kind === 'diverged' || !(mustLook || reply !== undefined))
    return { turn, last: undefined };
  const pulled = await readAll(driven, link);
  // A failure to send is reported rather than one to read: where the other side has no log yet,
  // there is nothing to read.
  const isReported =
    pulled.turn.kind === 'diverged' || (pulled.turn.kind !== 'done' && turn.kind !== 'later');
  return { turn: isReported ? pulled.turn : turn, last: pulled.page };
}

/** One turn of a link: send what waits, read what is new, compare both sides. */
export async function exchange(
  line: Line,
  link: LinkState,
  { look, held }: Circumstances,
): Promise<Turn> {
  const driven = drivenBy(line, link);
  for (let recoveries = 0; recoveries <= MAX_RECOVERIES; recoveries += 1) {
    const { turn, last } = await sendAndRead(driven, link, { look: look || recoveries > 0, held });
    if (turn.kind === 'diverged') {
      const failed = await recoverLink(driven, link);
      if (failed !== undefined) return failed;
      continue;
    }
    if (turn.kind !== 'done' || last === undefined) return turn;
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
