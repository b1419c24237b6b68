import { z } from 'zod';
import type { CaseUid } from '../../../shared/contract/ids.ts';
import type { LocksLike } from './leader-election.ts';
import type { ChannelLike } from './window-channel.ts';

const Message = z.strictObject({
  case: z.string(),
  window: z.string(),
  /** Whether it has just opened the case, and asks who else has. */
  asks: z.boolean(),
});

export interface OpenWindowsPorts {
  locks: LocksLike;
  broadcast: (name: string) => ChannelLike;
  newId: () => string;
}

/**
 * Counts the other windows of this browser store that have a case open, and calls `onCount` when
 * there are more or fewer. A window holds a lock while it is open, so that one that crashed counts
 * no longer.
 */
export function watchWindows(
  { locks, broadcast, newId }: OpenWindowsPorts,
  caseUid: CaseUid,
  onCount: (count: number) => void,
): () => void {
  const own = newId();
  const lockOf = (window: string): string => `evidence-studio/window/${window}`;
  const closing = new AbortController();
  let isHeld = false;
  const others = new Set<string>();
  const channel = broadcast('evidence-studio/windows');
  const say = (asks: boolean): void =>
    channel.postMessage({ case: caseUid, window: own, asks } satisfies z.infer<typeof Message>);

  const follow = (window: string): void => {
    others.add(window);
    onCount(others.size);
    locks
      .request(lockOf(window), { signal: closing.signal }, async () => {
        others.delete(window);
        if (!closing.signal.aborted) onCount(others.size);
      })
      .catch(() => undefined);
  };
  channel.onmessage = ({ data }) => {
    const message = Message.safeParse(data);
    if (!message.success || message.data.case !== caseUid || closing.signal.aborted) return;
    const { window, asks } = message.data;
    if (!others.has(window)) follow(window);
    // Who does not hold the lock yet says of itself that it is here when it does.
    if (asks && isHeld) say(false);
  };
  locks
    .request(lockOf(own), { signal: closing.signal }, () => {
      isHeld = true;
      say(true);
      return new Promise((close) => closing.signal.addEventListener('abort', () => close()));
    })
    .catch(() => undefined);
  return () => {
    closing.abort();
    channel.onmessage = null;
    channel.close();
  };
}
