import { createRoot } from 'react-dom/client';
import { getUplink, syncUplink } from '../shared/contract/v1/uplink.ts';
import { createApp } from './app/App.tsx';
import { browserHasher } from './app/browser-hasher.ts';
import { Unopened } from './app/Unopened.tsx';
import { unwrap } from './data/client.ts';
import { createDataLayer } from './data/data-layer.ts';
// oxlint-disable-next-line import/default -- the bundler makes it: the address of the worker's file
import checkWorker from './check-worker.ts?worker&url';
import { readPageFact } from './page-facts.ts';
import { getDesktop } from './state/desktop.ts';
import { keepOwnFiles, type NewVersion, NO_NEW_VERSION } from './state/new-version.ts';
import { createQueryCache } from './state/query-cache.ts';
import type { Call } from './state/services.tsx';
import { applyTheme, useTheme } from './state/theme.ts';
import { scriptAddress } from './state/trusted-types.ts';
import { createUplinkWatch } from './state/uplink.ts';

// The composition root of the renderer: the only place that knows the clock, randomness, the network and the store.
applyTheme(useTheme.getState().theme);
const container = document.getElementById('root');
if (container === null) throw new Error('The page has no #root.');
const root = createRoot(container);

const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length));

/** A browser may throw its store away unless it has promised not to; the desktop's is its own. */
async function askToKeep(): Promise<boolean | null> {
  if (getDesktop() !== undefined || !('storage' in navigator)) return null;
  return ((await navigator.storage.persisted()) || (await navigator.storage.persist().catch(() => false)));
}

/** The desktop's files are on the disk already, and its updates come with the application. */
function watchVersion(): NewVersion {
  const build = readPageFact(document, 'build');
  return build === undefined || getDesktop() !== undefined || !('serviceWorker' in navigator) ? NO_NEW_VERSION : keepOwnFiles(build, document, navigator);
}

async function start(): Promise<void> {
  const queries = createQueryCache();
  const data = await createDataLayer({
    fetch: (input, init) => fetch(input, init),
    now: () => Date.now(),
    elapsed: () => performance.now(),
    randomBytes,
    hasher: browserHasher,
    checkWorker: () => new Worker(scriptAddress(checkWorker), { type: 'module' }),
    locks: navigator.locks,
    broadcast: (name) => new BroadcastChannel(name),
    eventSource: (url) => new EventSource(url),
    onOtherOwner: () => queries.invalidate(''),
  });
  async function signOut(): Promise<void> {
    await fetch('/sign-out', { method: 'POST', redirect: 'manual' });
    await data.forget();
    window.location.assign('/studio');
  }
  // The client's own types are exact for one endpoint; here every endpoint passes through.
  const send = data.client.call as (endpoint: Parameters<Call>[0], input: unknown) => ReturnType<typeof data.client.call>;
  const call = (async (endpoint, input) => unwrap(await send(endpoint, input))) as Call;
  const uplink = createUplinkWatch(() => call(getUplink), () => Date.now());
  const reached = (): void => {
    data.wake();
    // The exchange with a hosted server waits after a failure: it asks now.
    const state = uplink.state.status?.state;
    if (state === 'offline' || state === 'waiting') void call(syncUplink).then(uplink.take, () => undefined);
  };
  window.addEventListener('online', reached);
  window.addEventListener('focus', reached);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') reached();
  });
  root.render(createApp({
    call, fetchFile: async (endpoint, input) => unwrap(await data.client.file(endpoint, input)), library: data.library, openMatrix: data.openMatrix, holds: data.holds, desk: data.desk, uplink, persisted: askToKeep(),
    queries, clock: { now: () => Date.now() }, hasher: browserHasher, cspNonce: readPageFact(document, 'csp-nonce'),
    rebuilt: data.rebuilt, signOut, newVersion: watchVersion(),
    newId: () => Array.from(randomBytes(16), (byte) => byte.toString(16).padStart(2, '0')).join(''),
  }));
}

start().catch((error: unknown) => root.render(<Unopened cause={error instanceof Error ? error.message : String(error)} />));
