import { createRoot } from 'react-dom/client';
import { SERVER_PAGES, STUDIO_PAGES } from '../shared/contract/page-addresses.ts';
import { getCopyKey } from '../shared/contract/v1/account.ts';
import { getUplink, syncUplink } from '../shared/contract/v1/uplink.ts';
import { createApp } from './app/App.tsx';
import { browserHasher } from './app/browser-hasher.ts';
import { SignedOut } from './app/SignedOut.tsx';
import { Unopened } from './app/Unopened.tsx';
import { createClient, unwrap } from './data/api/client.ts';
import { Copies, type OpenCopy } from './data/copies/copies.ts';
import { createDataLayer } from './data/data-layer.ts';
import { watchWindows } from './data/replica/open-windows.ts';
// oxlint-disable-next-line import/default -- the bundler makes it: the address of the worker's file
import checkWorker from './check-worker.ts?worker&url';
import { HostedWindow } from './hosted-window.tsx';
import { readPageFact } from './page-facts.ts';
import { getDesktop } from './state/desktop.ts';
import { keepOwnFiles, type NewVersion, NO_NEW_VERSION } from './state/new-version.ts';
import { createQueryCache } from './state/query-cache.ts';
import type { Call } from './state/services.tsx';
import { applyTheme, useTheme } from './state/theme.ts';
import { scriptAddress } from './state/trusted-types.ts';
import { createUplinkWatch } from './state/uplink.ts';

// The composition root of the renderer: the only place that knows the clock, randomness, the
// network and the store.
applyTheme(useTheme.getState().theme);
const container = document.getElementById('root');
if (container === null) throw new Error('The page has no #root.');
const root = createRoot(container);

/** How long the server is waited for before the copy is opened without it. Milliseconds. */
const ASKED_MS = 4_000;

const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length));

/** A browser may throw its store away unless it has promised not to; the desktop's is its own. */
async function askToKeep(): Promise<boolean | null> {
  if (getDesktop() !== undefined || !('storage' in navigator)) return null;
  return (
    (await navigator.storage.persisted()) || (await navigator.storage.persist().catch(() => false))
  );
}

/** The desktop's files are on the disk already, and its updates come with the application. */
function watchVersion(): NewVersion {
  const build = readPageFact(document, 'build');
  return build === undefined || getDesktop() !== undefined || !('serviceWorker' in navigator)
    ? NO_NEW_VERSION
    : keepOwnFiles(build, document, navigator);
}

/**
 * In the page of a hosted server, where several people may use one browser, each has an encrypted
 * copy of their own.
 */
function hostedCopies(): Copies | undefined {
  if (getDesktop() !== undefined || readPageFact(document, 'home') !== 'hosted') return undefined;
  const client = createClient((input, init) => fetch(input, init));
  return new Copies({
    factory: indexedDB,
    keyRange: IDBKeyRange,
    subtle: crypto.subtle,
    locks: navigator.locks,
    randomBytes,
    now: () => Date.now(),
    elapsed: () => performance.now(),
    hasher: browserHasher,
    ask: (browser) => client.call(getCopyKey, { query: { browser }, timeoutMs: ASKED_MS }),
    endSession,
  });
}

/** Rejects where the server did not do it. Who has no session there is signed out. */
async function endSession(): Promise<void> {
  const { type, status } = await fetch(SERVER_PAGES.signOut, {
    method: 'POST',
    redirect: 'manual',
  });
  if (type !== 'opaqueredirect' && status !== 401) throw new Error(`The server answers ${status}.`);
}

async function start(): Promise<void> {
  const copies = hostedCopies();
  if (copies === undefined) return run(undefined);
  const opening = await copies.open();
  if (opening.kind === 'open')
    return run({ opening, hosted: new HostedWindow(root, copies, opening) });
  const { why, unsent, database } = opening;
  if (why === 'signed_out') window.location.assign(SERVER_PAGES.login);
  const giveUp =
    why === 'unreadable' && database !== null
      ? () => void copies.giveUp(database).then(() => window.location.reload())
      : undefined;
  root.render(<SignedOut why={why} unsent={unsent} isWindowOnly={false} onGiveUp={giveUp} />);
}

async function run(own: { opening: OpenCopy; hosted: HostedWindow } | undefined): Promise<void> {
  const queries = createQueryCache();
  const data = await createDataLayer({
    fetch: (input, init) => fetch(input, init),
    now: () => Date.now(),
    elapsed: () => performance.now(),
    randomBytes,
    hasher: browserHasher,
    checkWorker: () => new Worker(scriptAddress(checkWorker), { type: 'module' }),
    // A copy in the memory of one window has no second window.
    ...(own?.opening.isKept === false
      ? {}
      : { locks: navigator.locks, broadcast: (name: string) => new BroadcastChannel(name) }),
    eventSource: (url) => new EventSource(url),
    onOtherOwner: () => queries.invalidate(''),
    ...(own !== undefined && {
      databaseName: own.opening.database,
      encryption: own.opening.encryption,
      person: own.opening.person,
      onPerson: (now) => own.hosted.heard(now),
    }),
  });
  async function signOut(saved: ReadonlySet<string>): Promise<void> {
    if (own !== undefined) return own.hosted.signOut(saved);
    await endSession();
    await data.forget();
    window.location.assign(STUDIO_PAGES.projects);
  }
  // The client's own types are exact for one endpoint; here every endpoint passes through.
  const send = data.client.call as (
    endpoint: Parameters<Call>[0],
    input: unknown,
  ) => ReturnType<typeof data.client.call>;
  const call = (async (endpoint, input) => unwrap(await send(endpoint, input))) as Call;
  const uplink = createUplinkWatch(
    () => call(getUplink),
    () => Date.now(),
  );
  const reached = (): void => {
    data.requestSync();
    // The exchange with a hosted server waits after a failure: it asks now.
    const state = uplink.state.status?.state;
    if (state === 'offline' || state === 'waiting')
      void call(syncUplink).then(uplink.take, () => undefined);
  };
  window.addEventListener('online', reached);
  window.addEventListener('focus', reached);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') reached();
  });
  const newId = (): string =>
    Array.from(randomBytes(16), (byte) => byte.toString(16).padStart(2, '0')).join('');
  const studio = createApp({
    call,
    fetchFile: async (endpoint, input) => unwrap(await data.client.file(endpoint, input)),
    library: data.library,
    openMatrix: data.openMatrix,
    restrictionsOf: data.restrictionsOf,
    holds: data.holds,
    watchWindows: (caseUid, onCount) =>
      watchWindows(
        { locks: navigator.locks, broadcast: (name) => new BroadcastChannel(name), newId },
        caseUid,
        onCount,
      ),
    watchPresence: data.watchPresence,
    watchBeside: data.watchBeside,
    overview: data.overview,
    uplink,
    persisted: askToKeep(),
    queries,
    clock: { now: () => Date.now() },
    hasher: browserHasher,
    cspNonce: readPageFact(document, 'csp-nonce'),
    rebuilt: data.rebuilt,
    signOut,
    forgetsAtSignOut: own !== undefined,
    newVersion: watchVersion(),
    newId,
  });
  if (own === undefined) root.render(studio);
  else await own.hosted.show(data, studio);
}

start().catch((error: unknown) =>
  root.render(<Unopened cause={error instanceof Error ? error.message : String(error)} />),
);
