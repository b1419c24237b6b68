import { networkInterfaces } from 'node:os';
import type { Timers } from '../../sync/loop.ts';

const TICK_MS = 15_000;
/** A tick that comes so late was slept through. */
const SLEPT_MS = 45_000;

/** Addresses of this computer: they change when a network comes or goes. */
export function ownAddresses(): string {
  return JSON.stringify(Object.values(networkInterfaces()).flatMap((cards) => (cards ?? []).filter((card) => !card.internal).map((card) => card.address)));
}

/** Tells when the computer has slept, or is on another network; answers how to stop. */
export function watchForSleep(timers: Pick<Timers, 'now' | 'after'>, addresses: () => string, woke: () => void): () => void {
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
