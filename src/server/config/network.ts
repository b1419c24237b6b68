import { isIP } from 'node:net';

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);
export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host);
}

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
