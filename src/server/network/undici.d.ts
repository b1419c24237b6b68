/** What is used of the part of undici that Node is built with; it comes without types. */
declare module 'undici/index-fetch.js' {
  export const fetch: typeof globalThis.fetch;
  export class EnvHttpProxyAgent {
    readonly closed: boolean;
  }
  export function setGlobalDispatcher(agent: EnvHttpProxyAgent): void;
}
