import { isIPv6 } from 'node:net';

const MAPPED = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;

/**
 * An address without spaces around it; one of IPv4 in the form of IPv6, as a socket for both tells
 * it, in its own form.
 */
export const plainAddress = (address: string): string => address.trim().replace(MAPPED, '');

/** One subject for an IPv6 network (/64): its hosts change addresses at will. */
export function subjectOf(address: string): string {
  const plain = plainAddress(address);
  if (!isIPv6(plain)) return plain;
  const [head = '', tail = ''] = plain.split('%')[0]!.split('::');
  const groups = (text: string): string[] =>
    text === ''
      ? []
      : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
  const [first, last] = [groups(head), groups(tail)];
  const all = [
    ...first,
    ...Array.from({ length: 8 - first.length - last.length }, () => '0'),
    ...last,
  ];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
