import type { Failure } from '../../shared/contract/call.ts';
import { hello, PROTOCOL } from '../../shared/contract/sync.ts';
import { BATCH_LIMITS } from '../../shared/contract/sync-batch.ts';
import type { HostedClient } from './client.ts';
import type { StoredUplink } from '../storage/replication/uplink.ts';

/** What a hosted server says of itself and of the key's user. */
export interface Handshake extends Pick<
  StoredUplink,
  'store' | 'epoch' | 'user_id' | 'user_name' | 'role'
> {
  /** Of the server's program, protocol and log: different after an upgrade. */
  versions: string;
  /** Whether the key is a studio's. */
  studio: boolean;
  /** Most parts of a batch that it takes; 1 where it takes none. */
  parts: number;
  /** Whether it can tell which logs have moved since an answer. */
  tellsSince: boolean;
  /** Whether it has logs of layers (YV1). */
  layers: boolean;
  /** The server's clock minus ours, ms. */
  clockOffset: number;
}

export type HandshakeResult =
  | { kind: 'ok'; handshake: Handshake }
  | { kind: 'too_old' }
  | { kind: 'failed'; failure: Failure };

/** Asks the server who it is; `client` has its address and key. */
export async function shakeHands(
  client: HostedClient,
  now: () => number,
  signal: AbortSignal,
): Promise<HandshakeResult> {
  const sent = now();
  const result = await client.call(hello, { signal });
  if (result.kind !== 'ok') return { kind: 'failed', failure: result };
  const {
    protocol,
    store,
    epoch,
    time,
    features,
    limits,
    user,
    studio = true,
    version = '',
    schema = 0,
  } = result.body;
  if (PROTOCOL < protocol.min || PROTOCOL > protocol.max) return { kind: 'too_old' };
  // The server read its clock about halfway through the request.
  const clockOffset = Math.round(Date.parse(time) - (sent + now()) / 2);
  return {
    kind: 'ok',
    handshake: {
      store,
      epoch,
      studio,
      parts: features.includes('batch') ? Math.min(BATCH_LIMITS.parts, limits.parts ?? 1) : 1,
      tellsSince: features.includes('since'),
      layers: features.includes('layers'),
      versions: JSON.stringify([version, schema, protocol, features]),
      user_id: user.user_id,
      user_name: user.name,
      role: user.role,
      clockOffset,
    },
  };
}

const WORTH_A_WARNING_MS = 120_000;

/** A wrong clock disturbs the order of histories and nothing else, so it is only a warning. */
export function clockWarning(offset: number | null): string | null {
  if (offset === null || Math.abs(offset) <= WORTH_A_WARNING_MS) return null;
  const minutes = Math.round(Math.abs(offset) / 60_000);
  return `This computer's clock is ${minutes} minutes ${offset > 0 ? 'behind' : 'ahead of'} the hosted server's. Nothing is lost by that, but times in histories are off.`;
}
