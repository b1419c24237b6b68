import type { UplinkStatus } from '../../shared/contract/v1/uplink.ts';
import { describeFailure, type ShownFailure } from './failure.ts';

export interface UplinkState {
  /** The last answer; stays when the next question fails. */
  status: UplinkStatus | undefined;
  /** When that answer was asked for, ms since 1970. */
  at: number;
  failure: ShownFailure | undefined;
}

/**
 * What the studio's server says of its exchange with a hosted one, asked again while somebody
 * looks.
 */
export interface UplinkWatch {
  readonly state: UplinkState;
  subscribe(listener: () => void): () => void;
  /** Asks now; an answer to an earlier question is dropped. */
  refresh(): Promise<void>;
  /** An answer that came with something that was done. */
  take(status: UplinkStatus): void;
}

const BUSY_MS = 2_000;
const QUIET_MS = 15_000;
const MOVING = new Set<UplinkStatus['state']>(['syncing', 'waiting']);

export function createUplinkWatch(
  ask: () => Promise<UplinkStatus>,
  now: () => number,
): UplinkWatch {
  const listeners = new Set<() => void>();
  let state: UplinkState = { status: undefined, at: 0, failure: undefined };
  let turn = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const show = (next: UplinkState): void => {
    state = next;
    for (const listener of [...listeners]) listener();
    plan();
  };
  const plan = (): void => {
    clearTimeout(timer);
    // A hosted server is linked to no other, and never will be.
    if (listeners.size === 0 || state.status?.available === false) return;
    const isBusy =
      state.status !== undefined &&
      (MOVING.has(state.status.state) || state.status.totals.waiting > 0);
    timer = setTimeout(() => void refresh(), isBusy ? BUSY_MS : QUIET_MS);
  };
  const refresh = async (): Promise<void> => {
    turn += 1;
    const asked = turn;
    const at = now();
    try {
      const status = await ask();
      if (asked === turn) show({ status, at, failure: undefined });
    } catch (error) {
      if (asked === turn) show({ ...state, failure: describeFailure(error) });
    }
  };
  return {
    get state() {
      return state;
    },
    subscribe(listener) {
      listeners.add(listener);
      if (listeners.size === 1) void refresh();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) clearTimeout(timer);
      };
    },
    refresh,
    take(status) {
      turn += 1;
      show({ status, at: now(), failure: undefined });
    },
  };
}
