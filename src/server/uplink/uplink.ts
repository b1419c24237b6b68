import type { UplinkDiagnostics, UplinkStatus } from '../../shared/contract/v1/uplink.ts';
import { Refusal } from '../errors.ts';
import type { Store } from '../storage/port.ts';
import { OFF } from './status.ts';

/** The exchange with one hosted server, as operations and composition roots know it. */
export interface Uplink {
  status(): Promise<UplinkStatus>;
  /** Throws no_connection or other_user, with nothing changed. */
  connect(target: { url: string; key: string }): Promise<UplinkStatus>;
  disconnect(): Promise<UplinkStatus>;
  share(projectId: string, shared: boolean): Promise<UplinkStatus>;
  /** A person's wish: cuts a wait short. */
  sync(): Promise<UplinkStatus>;
  diagnostics(): Promise<UplinkDiagnostics>;
}

export interface UplinkPorts {
  store: Store;
  clock: { now(): number };
  home: string;
  version: string;
}

export function createUplink({ store, clock, home, version }: UplinkPorts): Uplink {
  return {
    status: async () => OFF,
    async connect() {
      throw new Refusal('no_connection');
    },
    disconnect: async () => OFF,
    async share() {
      throw new Refusal('conflict', { message: 'Connect to a hosted server first.' });
    },
    sync: async () => OFF,
    diagnostics: async () => ({
      made_at: new Date(clock.now()).toISOString(), app: version, store: store.storeId, epoch: store.epoch, engine: store.engine, home,
      upstream: null, state: 'off', problem: null, events: { open: false, opened: 0 }, requests: { sent: 0, failed: 0, bytes_out: 0, bytes_in: 0 }, links: [], failures: [],
    }),
  };
}
