/**
 * `fetch` for what the server itself asks of others, where Electron's own is not there.
 *
 * Node's built-in one ends the process by an assertion that nobody can catch when a server closes
 * its connection before the whole answer is read (https://github.com/nodejs/undici/issues/5360).
 */
let sending: Promise<typeof globalThis.fetch> | undefined;

/** Whether Node was told to take its proxies from the environment. */
function takesProxiesFromEnvironment(): boolean {
  const { NODE_USE_ENV_PROXY, NODE_OPTIONS = '' } = process.env;
  return (
    NODE_USE_ENV_PROXY === '1' ||
    [...process.execArgv, ...NODE_OPTIONS.split(/\s+/)].includes('--use-env-proxy')
  );
}

async function load(): Promise<typeof globalThis.fetch> {
  const { fetch, EnvHttpProxyAgent } = await import('undici/index-fetch.js');
  // Named with each request: what is set for the whole process is Node's own once that was used.
  const dispatcher = new EnvHttpProxyAgent(
    takesProxiesFromEnvironment() ? {} : { httpProxy: '', httpsProxy: '' },
  );
  return (input, init) => fetch(input, { ...init, dispatcher });
}

/** As the standard's `fetch`; it is loaded when it is called first. */
export const nodeFetch: typeof globalThis.fetch = async (input, init) =>
  (await (sending ??= load()))(input, init);
