/**
 * Hybrid logical clock: 48-bit milliseconds and a 16-bit counter, written as 12 + 4 hex digits
 * (`0199f2c1a3b4-0003`), so that text order is clock order. It sorts history and picks which of
 * several heads is displayed; causality is in `parents` alone.
 */
export type Hlc = string;

const MAX_COUNTER = 0xffff;
/** A remote clock further ahead than this is not adopted. Milliseconds. */
export const MAX_AHEAD = 60_000;
export const HLC_PATTERN = /^[0-9a-f]{12}-[0-9a-f]{4}$/;

export const HLC_ZERO: Hlc = '000000000000-0000';

function write(ms: number, counter: number): Hlc {
  return `${ms.toString(16).padStart(12, '0')}-${counter.toString(16).padStart(4, '0')}`;
}

/** Milliseconds of a clock value. */
export function hlcMs(hlc: Hlc): number {
  return Number.parseInt(hlc.slice(0, 12), 16);
}

/**
 * The next local value after `last` at wall time `now` (ms since 1970). If the wall clock stands
 * still or runs backwards, the counter continues.
 */
export function nextHlc(last: Hlc, now: number): Hlc {
  const ms = hlcMs(last);
  if (now > ms) return write(Math.max(0, Math.floor(now)), 0);
  const counter = Number.parseInt(last.slice(13), 16) + 1;
  return counter > MAX_COUNTER ? write(ms + 1, 0) : write(ms, counter);
}

/**
 * `last` after seeing `remote`: adopted only if it is not more than a minute ahead of wall time;
 * otherwise `suspect`.
 */
export function seeHlc(last: Hlc, remote: Hlc, now: number): { last: Hlc; suspect: boolean } {
  if (hlcMs(remote) > now + MAX_AHEAD) return { last, suspect: true };
  return { last: remote > last ? remote : last, suspect: false };
}
