import { isLoopback } from '../config/network.ts';

const LOOPBACK_V4 = /^127(?:\.\d{1,3}){3}$/;

/**
 * The origin of an address, or why it cannot be used: plain http is allowed for this computer only,
 * and user names, passwords and paths are not.
 */
export function parseAddress(text: string): { origin: string } | { problem: string } {
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    return { problem: 'Must be an address such as https://evidence.example.org.' };
  }
  if (url.username !== '' || url.password !== '')
    return { problem: 'Must not hold a name or password.' };
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isHere = isLoopback(host) || LOOPBACK_V4.test(host);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isHere))
    return { problem: 'Must be an https address.' };
  return { origin: url.origin };
}
