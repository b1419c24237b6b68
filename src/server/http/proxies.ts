import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { plainAddress } from '../auth/address.ts';

/** An address or a network such as 10.0.0.0/8, or undefined. */
export function parseNetwork(
  text: string,
): { address: string; prefix: number; family: 'ipv4' | 'ipv6' } | undefined {
  const [address = '', bits, ...rest] = text.trim().split('/');
  const version = isIP(address);
  const most = version === 4 ? 32 : 128;
  if (
    version === 0 ||
    rest.length > 0 ||
    (bits !== undefined && !(/^(0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= most))
  )
    return undefined;
  return {
    address,
    prefix: bits === undefined ? most : Number(bits),
    family: version === 4 ? 'ipv4' : 'ipv6',
  };
}

export interface Proxies {
  /** Whether this address is a trusted proxy, which sends the requests of others. */
  has(address: string): boolean;
  /**
   * The address that sent a request: that of the connection or, behind trusted proxies, the one
   * that they name. What anybody else wrote into the header is ignored.
   */
  clientOf(req: IncomingMessage): string;
}

/**
 * Trusted proxies by address or network. X-Forwarded-For is read from the right, one hop after the
 * other, as long as the hop that wrote it is a trusted proxy.
 */
export function createProxies(networks: readonly string[]): Proxies {
  const list = new BlockList();
  for (const text of networks) {
    const network = parseNetwork(text);
    if (network === undefined) throw new TypeError('The address of a proxy cannot be read.');
    list.addSubnet(network.address, network.prefix, network.family);
  }
  const has = (address: string): boolean => {
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
  };
  return {
    has: (address) => has(plainAddress(address)),
    clientOf(req) {
      let client = plainAddress(req.socket.remoteAddress ?? '');
      const hops = String(req.headers['x-forwarded-for'] ?? '').split(',');
      while (has(client) && hops.length > 0) {
        const hop = plainAddress(hops.pop() as string);
        if (isIP(hop) === 0) break;
        client = hop;
      }
      return client;
    },
  };
}
