import type { IncomingMessage } from 'node:http';
import type { Deps } from '../context/deps.ts';
import { plainAddress } from '../auth/address.ts';
import type { Proxies } from './proxies.ts';

export const NO_PROXIES =
  'EVIDENCE_STUDIO_TRUSTED_PROXIES is not set: behind a proxy all clients count as one address. Name the proxy there.';

/**
 * Says once in the log of a hosted server that a proxy speaks which is not trusted: all its clients
 * then share the limits of one address.
 */
export function createProxyNotice(
  { home, logger }: Pick<Deps, 'home' | 'logger'>,
  proxies: Pick<Proxies, 'has'>,
): (req: IncomingMessage) => void {
  let isSaid = home !== 'hosted';
  return ({ headers, socket: { remoteAddress } }) => {
    if (
      isSaid ||
      headers['x-forwarded-for'] === undefined ||
      remoteAddress === undefined ||
      proxies.has(remoteAddress)
    )
      return;
    isSaid = true;
    logger.warn(
      { proxy: plainAddress(remoteAddress) },
      'X-Forwarded-For came from an address that EVIDENCE_STUDIO_TRUSTED_PROXIES does not ' +
        'name: it is ignored, and all clients of that proxy count as one address',
    );
  };
}
