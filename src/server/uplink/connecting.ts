import type { AuditDetail } from '../../shared/contract/audit-details.ts';
import type { AccountId, UserId } from '../../shared/contract/ids.ts';
import type { Failure } from '../../shared/contract/call.ts';
import type { UnsentChoice } from '../../shared/contract/v1/uplink.ts';
import { parseKey } from '../auth/keys.ts';
import { ApiError } from '../context/errors.ts';
import type { AuditOrigin } from '../storage/db/audit-entry.ts';
import type { UnsentOf } from '../storage/replication/unsent.ts';
import type { StoredUplink } from '../storage/replication/uplink.ts';
import type { Writer } from '../storage/repositories.ts';
import type { Store } from '../storage/store.ts';
import { parseAddress } from './address.ts';
import type { HostedClient } from './client.ts';
import { refuseWithout, settleOthers } from './unsent-of-others.ts';
import { shakeHands, type Handshake } from './handshake.ts';
import type { UplinkPorts } from './uplink-ports.ts';
import { failureSentence, FOREIGN, TOO_OLD } from './words.ts';

const CONNECT_MS = 20_000;

const refuseInput = (path: string, message: string): ApiError =>
  new ApiError('validation_failed', { details: [{ path, code: 'invalid_value', message }] });
const noConnection = (path: string, code: string, message: string): ApiError =>
  new ApiError('no_connection', { message, details: [{ path, code, message }] });

function whyNot(failure: Failure): ApiError {
  if (failure.kind === 'refused' && failure.status === 401)
    return noConnection('/key', failure.code, 'The server does not accept this key.');
  if (failure.kind === 'refused' && (failure.status === 404 || failure.status === 403))
    return noConnection(
      '/url',
      failure.code,
      'What answers at this address is no Evidence Studio that serves it.',
    );
  if (failure.kind === 'unreadable') return noConnection('/url', 'not_the_server', FOREIGN);
  return noConnection(
    '/url',
    failure.kind === 'refused' ? failure.code : failure.reason,
    failureSentence(failure),
  );
}

/** The address and key that a person gave; throws where they cannot be of a hosted server. */
export function checkedTarget(target: { url: string; key: string }): { url: string; key: string } {
  const address = parseAddress(target.url);
  const key = target.key.trim();
  if ('problem' in address) throw refuseInput('/url', address.problem);
  if (parseKey(key) === undefined)
    throw refuseInput(
      '/key',
      'Must be a key as the hosted server showed it once: evs_ and 49 characters.',
    );
  return { url: address.origin, key };
}

/** Asks the server that is to be connected who it is; throws where it cannot be connected. */
export async function meet(
  { store, clock }: Pick<UplinkPorts, 'store' | 'clock'>,
  client: HostedClient,
): Promise<Handshake> {
  const result = await shakeHands(client, () => clock.now(), AbortSignal.timeout(CONNECT_MS));
  if (result.kind === 'too_old') throw noConnection('/url', 'protocol', TOO_OLD);
  if (result.kind === 'failed') throw whyNot(result.failure);
  if (result.handshake.store === store.storeId)
    throw noConnection('/url', 'this_studio', 'This is the address of this studio itself.');
  // A key that may only read sends nothing, so that it need not be a studio's.
  if (!result.handshake.studio && result.handshake.role !== 'viewer')
    throw noConnection(
      '/key',
      'not_a_studio',
      'This is a key for a program. On the hosted server choose "Connect a studio" on the account page, and use the key that is shown there.',
    );
  return result.handshake;
}

/** Unsent work of users whom a key of `userId` does not stand for. */
async function unsentBeside(
  writer: Writer,
  account: AccountId,
  previous: StoredUplink | undefined,
  userId: UserId,
): Promise<UnsentOf[]> {
  if (previous === undefined || previous.user_id === userId) return [];
  const users = [
    userId,
    ...(await writer.uplink.sentFor(previous)).filter((user) => user !== previous.user_id),
  ];
  return writer.uplink.ofOthers(account, users);
}

interface Connecting {
  url: string;
  key: string;
  unsent: UnsentChoice | undefined;
  handshake: Handshake;
}

/** What became of the unsent work of others, for the audit trail. */
const consentTo = (unsent: UnsentChoice | undefined, others: readonly UnsentOf[]): AuditDetail =>
  others.length === 0 || unsent === undefined
    ? {}
    : {
        unsent,
        of: others.map(({ user_id }) => user_id),
        changes: others.reduce((sum, { changes }) => sum + changes.length, 0),
      };

/** Stores a new connection with all that follows from it, in one transaction. */
export function storeConnection(
  ports: UplinkPorts,
  { url, key, unsent, handshake }: Connecting,
  by: AuditOrigin,
): Promise<StoredUplink> {
  const { store, clock, keyStore, hasher, random } = ports;
  const { account_id } = store.local;
  const { epoch, user_id, user_name, role } = handshake;
  return store.transact(async (writer) => {
    const before = await writer.uplink.read();
    const others = await unsentBeside(writer, account_id, before, user_id);
    refuseWithout(unsent, others);
    const next: StoredUplink = {
      url,
      store: handshake.store,
      epoch,
      user_id,
      user_name,
      role,
      connected_at: new Date(clock.now()).toISOString(),
      connected: true,
      ...(await keyStore.keep(url, key)),
    };
    if (before !== undefined && before.store !== next.store)
      await writer.uplinkWrites.restartLinks(account_id);
    await writer.uplinkWrites.become(next);
    await writer.uplinkWrites.write(next);
    await settleOthers(unsent, others, {
      writer,
      account: account_id,
      person: next,
      hasher,
      now: clock.now(),
      nonce: () => Buffer.from(random.bytes(16)).toString('hex'),
    });
    await writer.uplinkWrites.takeBack(account_id, await writer.uplink.sentFor(next));
    writer.audit.by(by);
    writer.audit.add({
      action: 'uplink.connected',
      object: next.store,
      detail: { url, user_id, name: user_name, role, ...consentTo(unsent, others) },
    });
    return next;
  });
}

/** Stores that the connection has ended. */
export async function storeDisconnection(
  store: Store,
  uplink: StoredUplink,
  by: AuditOrigin,
): Promise<StoredUplink> {
  const next: StoredUplink = { ...uplink, connected: false, sealed_key: null, key_kept: 'memory' };
  await store.transact(async (writer) => {
    await writer.uplinkWrites.write(next);
    writer.audit.by(by);
    writer.audit.add({
      action: 'uplink.disconnected',
      object: next.store,
      detail: { url: next.url },
    });
  });
  return next;
}
