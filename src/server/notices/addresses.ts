import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * Addresses that no webhook of an account reaches: what only the server's own network has. An owner
 * could otherwise have the server ask its neighbours.
 */
const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv4');

/** Of IPv6 only what is handed out on the internet, without ways back into IPv4. */
const PUBLIC6 = new BlockList();
PUBLIC6.addSubnet('2000::', 3, 'ipv6');
const NOT_PUBLIC6 = new BlockList();
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  NOT_PUBLIC6.addSubnet(network, prefix, 'ipv6');

/** Whether an address is one on the internet. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !PRIVATE.check(address, 'ipv4');
    case 6:
      return PUBLIC6.check(address, 'ipv6') && !NOT_PUBLIC6.check(address, 'ipv6');
    default:
      return false;
  }
}

/** The host of an address of the web, as `isIP` takes it. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** A name led to an address that is not on the internet. */
export class PrivateAddress extends Error {
  override name = 'PrivateAddress';
  constructor() {
    super('It is not an address on the internet.');
  }
}

/**
 * Looks a name up and gives addresses on the internet alone: those that are then connected to, so
 * that a name cannot lead elsewhere in between.
 */
export const publicLookup: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error !== null) return done(error, '', 0);
    const all = found.filter(({ address }) => isPublicAddress(address));
    const [first] = all;
    if (first === undefined || all.length < found.length) return done(new PrivateAddress(), '', 0);
    if (options.all === true) done(null, all);
    else done(null, first.address, first.family);
  });
};
