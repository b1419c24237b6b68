import { isLoopback } from './network.ts';

/** A setting that cannot be used; the message is a sentence for the person who made it. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/**
 * Refuses to listen on an address that others on the network can reach, unless the server is hosted
 * with https in front.
 */
export function checkBinding({
  host,
  publicUrl,
}: {
  host: string;
  publicUrl: URL | undefined;
}): void {
  if (isLoopback(host) || publicUrl?.protocol === 'https:') return;
  throw new ConfigError(
    `Listening on ${host} would let the network in without encryption. ` +
      'Listen on 127.0.0.1, or set EVIDENCE_STUDIO_PUBLIC_URL to the https address that this ' +
      'server is hosted at.',
  );
}
