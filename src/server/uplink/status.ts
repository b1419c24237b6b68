import type { UplinkStatus } from '../../shared/contract/v1/uplink.ts';

/** Nobody has connected this studio. */
export const OFF: UplinkStatus = {
  available: true, connection: null, state: 'off', problem: null, warning: null, next_try_at: null, last_ok: null,
  totals: { waiting: 0, oldest: null, quarantined: 0, parked: 0 }, projects: [], links: [],
};

/** The answer of a server that is connected to no other. */
export const NO_UPLINK: UplinkStatus = { ...OFF, available: false };
