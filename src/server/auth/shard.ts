import { createHmac } from 'node:crypto';
import type { AccountId } from '../../shared/contract/ids.ts';
import type { Deps } from '../context/deps.ts';
import type { Principal } from '../context/principal.ts';
import type { RequestContext } from '../context/request.ts';
import { SESSION_LIFE, type Cookie } from './session.ts';
import { base62Digits } from './base62.ts';

/**
 * In which a proxy says by which label it chose this instance. Believed of trusted proxies alone.
 */
export const SHARD_HEADER = 'evidence-shard';
const DIGITS = 3;

/**
 * An account's label for proxies that send all requests of an account to one instance: 238,328
 * values. It is no credential: it chooses an instance, and every instance gives the same answers.
 * Keyed, so that nobody who reads it learns the account, or can tell the label of another one.
 */
export function shardOf(hmacSecret: Uint8Array, account: AccountId): string {
  const mac = createHmac('sha256', hmacSecret).update(`shard ${account}`).digest();
  return base62Digits(mac.readUIntBE(0, 6), DIGITS);
}

/** Which requests a proxy has sent to this instance because of their account. */
export interface Shards {
  /**
   * Whether all requests of this account come to this instance, as far as its proxy sends them by
   * their label, and this one was. A request without the account's label, or with a forged one, is
   * answered all the same, and counted together with what other instances count.
   */
  isHome(context: RequestContext, principal: Principal): boolean;
  /** Gives a browser its account's label for the next request, where it sent another one. */
  label(context: RequestContext, account: AccountId): void;
}

/** Where any request may come to any instance. */
export const EVERYWHERE: Shards = { isHome: () => false, label: () => undefined };

export function createShards(
  { hmacSecret, areSticky }: Pick<Deps, 'hmacSecret' | 'areSticky'>,
  cookie: Cookie,
): Shards {
  if (!areSticky) return EVERYWHERE;
  return {
    isHome: ({ shard }, { actor }) =>
      shard !== undefined && shard === shardOf(hmacSecret, actor.account_id),
    label({ req, res }, account) {
      const label = shardOf(hmacSecret, account);
      if (cookie.read(req.headers.cookie) === label) return;
      res.appendHeader('Set-Cookie', cookie.set(label, SESSION_LIFE));
    },
  };
}
