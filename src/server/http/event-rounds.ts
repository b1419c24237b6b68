import { participantIdOf } from '../../shared/contract/participant.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import type { Deps } from '../context/deps.ts';
import type { Principal } from '../context/principal.ts';
import type { GrownLog } from '../storage/db/grown-log.ts';
import type { EventStreams, EventStream } from './event-streams.ts';

/**
 * Time between two rounds, ms: the credentials of all streams with news are looked up together once
 * a round.
 */
const ROUND_MS = 100;

/** Sends streams what is new, at most once in `gatherMs` to each. */
export function createEventRounds(
  { clock }: Pick<Deps, 'clock'>,
  authenticator: Pick<Authenticator, 'stillAuthorized'>,
  streams: EventStreams,
  gatherMs: number,
) {
  /** Streams with news to be sent. */
  const waiting = new Set<EventStream>();
  let round: NodeJS.Timeout | undefined;
  let roundAt = -Infinity;

  /**
   * Sends texts to streams. Before that, all their credentials are looked up at once: a key that
   * was revoked, or a session that has ended or moved to another account, is sent nothing more.
   */
  async function send(texts: ReadonlyMap<EventStream, string>): Promise<void> {
    const principals = [...texts.keys()].map(({ principal }) => principal);
    const authorized = await authenticator
      .stillAuthorized(principals, clock.now())
      .catch(() => new Set<Principal>());
    for (const [stream, text] of texts) {
      if (!streams.isOpen(stream)) continue;
      if (authorized.has(stream.principal)) streams.write(stream, text);
      else streams.end(stream);
    }
  }

  function sendDue(): void {
    round = undefined;
    const now = (roundAt = clock.now());
    const texts = new Map<EventStream, string>();
    for (const stream of waiting) {
      // A clock that was set back must not hold anything up.
      if (now - stream.sentAt < gatherMs && now >= stream.sentAt) continue;
      waiting.delete(stream);
      if (!streams.isOpen(stream)) continue;
      const events = [...stream.news].map(
        ([name, seq]) => `data: ${JSON.stringify({ case: name, seq })}\n\n`,
      );
      texts.set(stream, events.join(''));
      stream.news.clear();
      stream.sentAt = now;
    }
    if (texts.size > 0) void send(texts);
    if (waiting.size > 0) scheduleRound();
  }

  function scheduleRound(): void {
    const wait = Math.min(ROUND_MS, Math.max(0, roundAt + ROUND_MS - clock.now()));
    round ??= setTimeout(sendDue, wait).unref();
  }

  return {
    send,
    /** A log has grown: its account's streams are sent its length. */
    notify(commit: GrownLog): void {
      const { sealedFor } = commit;
      for (const stream of streams.ofAccount(commit.account_id)) {
        if (sealedFor !== undefined && participantIdOf(stream.principal) !== sealedFor) continue;
        stream.news.set(commit.case_uid, commit.seq);
        waiting.add(stream);
      }
      if (waiting.size === 0) return;
      if (gatherMs === 0) sendDue();
      else scheduleRound();
    },
    close: () => clearTimeout(round),
  };
}
