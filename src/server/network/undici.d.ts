/** What is used of the part of undici that Node is built with; it comes without types. */
declare module 'undici/index-fetch.js' {
  /** Connections, with the proxies of the environment but for those that are given, '' for none. */
  export class EnvHttpProxyAgent {
    constructor(proxies: { httpProxy?: string; httpsProxy?: string });
    readonly closed: boolean;
  }
  export function fetch(
    input: Parameters<typeof globalThis.fetch>[0],
    init: Omit<RequestInit, 'dispatcher'> & { dispatcher: EnvHttpProxyAgent },
  ): Promise<Response>;
}
