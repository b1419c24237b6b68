import { networkInterfaces } from 'node:os';
import type { Timers } from '../../sync/loop.ts';

const TICK_MS = 15_000;
/** If a timer fires this late, the computer was asleep. */
const SLEPT_MS = 45_000;

/** The computer's own addresses: they change when it joins or leaves a network. */
export function ownAddresses(): string {
  return JSON.stringify(
    Object.values(networkInterfaces()).flatMap((cards) =>
      (cards ?? []).filter((card) => !card.internal).map((card) => card.address),
    ),
  );
}

/** Calls back when the computer has slept or changed networks; returns how to stop. */
export function watchForSleep(
  timers: Pick<Timers, 'now' | 'after'>,
  addresses: () => string,
  woke: () => void,
): () => void {
  let last = timers.now();
  let before = addresses();
  let cancel = timers.after(TICK_MS, tick);
  function tick(): void {
    cancel = timers.after(TICK_MS, tick);
    const now = timers.now();
    const here = addresses();
    const isAwakened = now - last > SLEPT_MS || here !== before;
    [last, before] = [now, here];
    if (isAwakened) woke();
  }
  return () => cancel();
}
