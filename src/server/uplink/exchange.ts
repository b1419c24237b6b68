import { ancestor } from '../../shared/contract/sync.ts';
import type { ParkReason } from '../../sync/answers.ts';
import { diverged, marksOf, startOver, verify } from '../../sync/link.ts';
import type { Digest } from '../../sync/log.ts';
import { type Line, type LinkState, moveTo, type Turn, turnOf } from './line.ts';
import { pullAll } from './receive.ts';
import { holdBack, offerAside, pushAll } from './send.ts';

const DISAGREE =
  'Both sides were compared again and still differ. Nothing was dropped; please export the diagnostics.';
/** Most recoveries in one turn: a server whose log keeps changing is left alone for a while. */
const MAX_RECOVERIES = 3;

/**
 * R6: finds the last position that both logs have in common and begins a new generation of the link
 * from there. Nothing is deleted.
 */
export async function recover(line: Line, link: LinkState): Promise<Turn | undefined> {
  const result = await line.client.call(ancestor, {
    params: { caseUid: link.stream },
    body: { points: marksOf(link.row) },
    signal: line.signal,
  });
  if (result.kind !== 'ok') {
    line.failed(link.stream, 'ancestor', result);
    return turnOf(result, 'recover');
  }
  const { epoch, seq } = result.body;
  await moveTo(line, link, { ...link.row, ...diverged(link.row, { epoch, seq }) });
  return undefined;
}

/**
 * R7: compares both sides. If they differ, everything is offered again once; if they still differ,
 * a person is told.
 */
async function compare(line: Line, link: LinkState, page: Digest): Promise<Turn | 'again'> {
  const { own, refused } = await line.store.read(async (reader) => ({
    own: await reader.log.position(line.account, link.stream),
    refused: await reader.uplink.refused(line.account, link.stream),
  }));
  // While the other side refuses some changes, the two sets differ and are not reported as equal.
  if (own === undefined || refused > 0) return { kind: 'done' };
  // What arrived here in the meantime is left for the next turn.
  const verdict = verify({ more: false, ...page }, own, own.seq - link.row.push_pos);
  if (verdict === 'open') return { kind: 'done' };
  if (verdict === 'unequal') {
    link.unequal += 1;
    if (link.unequal > 1) return { kind: 'stopped', problem: DISAGREE };
    await moveTo(line, link, { ...link.row, ...startOver(link.row), again_to: own.seq });
    return 'again';
  }
  link.unequal = 0;
  await moveTo(line, link, {
    ...link.row,
    rev: link.row.rev + 1,
    verified_at: new Date(line.now()).toISOString(),
    verified_seq: own.seq,
    problem: null,
    state: 'open',
  });
  return { kind: 'done' };
}

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

/** One turn of a link: send what waits, read what is new, compare both sides. */
export async function exchange(
  line: Line,
  link: LinkState,
  { look, held }: Circumstances,
): Promise<Turn> {
  let mustLook = look;
  for (let recoveries = 0; recoveries <= MAX_RECOVERIES; recoveries += 1) {
    const sent = held === null ? await pushAll(line, link) : await holdBack(line, link, held);
    if (!goesOn(sent.turn)) return sent.turn;
    if (
      sent.turn.kind === 'done' &&
      held === null &&
      (await offerAside(line, link, sent.reply !== undefined))
    )
      mustLook = true;
    let { turn } = sent;
    let last: Digest | undefined = sent.reply?.seq === link.row.pull_seq ? sent.reply : undefined;
    if (turn.kind !== 'diverged' && last === undefined && (mustLook || sent.reply !== undefined)) {
      const pulled = await pullAll(line, link);
      // That sending failed is told before that reading did: where the other side has no log yet,
      // there is nothing to read.
      if (pulled.turn.kind === 'diverged' || (pulled.turn.kind !== 'done' && turn.kind !== 'later'))
        turn = pulled.turn;
      last = pulled.page;
    }
    if (turn.kind === 'diverged') {
      const failed = await recover(line, link);
      if (failed !== undefined) return failed;
    } else {
      const compared =
        turn.kind === 'done' && last !== undefined ? await compare(line, link, last) : turn;
      if (compared !== 'again') return compared;
    }
    mustLook = true;
  }
  return {
    kind: 'later',
    host: false,
    online: true,
    retryAfter: null,
    problem: 'The hosted server’s log keeps changing its past.',
  };
}
