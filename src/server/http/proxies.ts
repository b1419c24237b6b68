import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddr from 'proxy-addr';
import { plainAddress } from '../auth/address.ts';
import { parseNetwork } from '../config/network.ts';

export interface Proxies {
  /** Whether this address is a trusted proxy, which sends the requests of others. */
  has(address: string): boolean;
  /**
   * The address that sent a request: that of the connection or, behind trusted proxies, the one
   * that they name. What anybody else wrote into the header is ignored.
   */
  clientOf(req: IncomingMessage): string;
}

/** In halves, since the package has no word for a network of all addresses. */
const EVERY_IPV4 = ['0.0.0.0/1', '128.0.0.0/1'];
const EVERY = { ipv4: EVERY_IPV4, ipv6: [...EVERY_IPV4, '::/1', '8000::/1'] };

function rangesOf(text: string): readonly string[] {
  const network = parseNetwork(text);
  if (network === undefined) throw new TypeError('The address of a proxy cannot be read.');
  const { address, prefix, family } = network;
  return prefix === 0 ? EVERY[family] : [`${address}/${prefix}`];
}

/**
 * Trusted proxies by address or network. X-Forwarded-For is read from the right, one hop after the
 * other, as long as the hop that wrote it is a trusted proxy; what is no address ends the list.
 */
export function createProxies(networks: readonly string[]): Proxies {
  const isTrusted = proxyAddr.compile(networks.flatMap(rangesOf));
  // The package also reads short and octal forms of addresses, which no proxy writes.
  const has = (address: string): boolean => {
    const plain = plainAddress(address);
    return isIP(plain) !== 0 && isTrusted(plain, 0);
  };
  return {
    has,
    clientOf(req) {
      const hops = proxyAddr.all(req, has).map((hop) => plainAddress(hop ?? ''));
      return hops.findLast((hop) => isIP(hop) !== 0) ?? hops[0] ?? '';
    },
  };
}
