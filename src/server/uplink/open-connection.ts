import { SCHEMA_VERSION } from '../../sync/change.ts';
import type { Timers } from '../../sync/loop.ts';
import type { UpstreamConnection } from './connection.ts';
import type { Handshake, HandshakeResult } from './handshake.ts';
import { LogRequests } from './log-requests.ts';
import { oncePerTick } from './once-per-tick.ts';

/** What the other side last said of itself. */
export type Said = Pick<Handshake, 'versions' | 'parts' | 'tellsSince' | 'layers'>;
export const UNSAID: Said = { versions: '', parts: 1, tellsSince: false, layers: false };

interface ConnectionPorts extends Pick<
  UpstreamConnection,
  'store' | 'hasher' | 'client' | 'boot' | 'mayStandFor' | 'failed'
> {
  timers: Timers;
  /** Of this program. */
  version: string;
}

interface OtherSide {
  signal: AbortSignal;
  /** Asks it who it is. */
  meet(): Promise<HandshakeResult>;
  said(): Said;
  /** How many links are being served. */
  served(): number;
}

/** What all exchanges with the other side share, until `signal` fires. */
export function openConnection(
  { store, hasher, client, boot, mayStandFor, failed, timers, version }: ConnectionPorts,
  { signal, meet, said, served }: OtherSide,
): UpstreamConnection {
  const account = store.local.account_id;
  const answers = oncePerTick(async () => (await meet()).kind === 'ok');
  const parts = (): number => said().parts;
  return {
    store,
    account,
    hasher,
    client,
    logs: new LogRequests({ client, signal, parts, served, answers }),
    signal,
    now: () => timers.now(),
    elapsed: () => timers.elapsed(),
    boot,
    mayStandFor,
    failed,
    versions: () => `${version} ${SCHEMA_VERSION} ${said().versions}`,
    tellsSince: () => said().tellsSince,
    aside: oncePerTick(() => store.read((reader) => reader.uplink.aside(account))),
    answers,
    isStudio: async () => {
      const result = await meet();
      return result.kind === 'ok' && result.handshake.studio;
    },
  };
}
