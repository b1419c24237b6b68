import { browserHasher } from '../../../../src/renderer/app/browser-hasher.ts';
import { createDataLayer } from '../../../../src/renderer/data/data-layer.ts';
import type { MatrixSession } from '../../../../src/renderer/data/store/port.ts';

type Address = Parameters<Awaited<ReturnType<typeof createDataLayer>>['openMatrix']>[0];

/**
 * What a turn took in ms: until the matrix could be read, until all was on disk or on the server,
 * and the longest time in which the page answered nothing.
 */
export interface Turn {
  usable: number;
  done: number;
  blocked: number;
}

/** A window without its pages: the replica, its database and its link. */
export interface BenchWindow {
  open(address: Address): Promise<Turn>;
  /** Until the row at the end of the case is recorded under every rule. */
  received(items: number): Promise<Turn>;
  /** Sets every cell as one gesture, until the server has it. */
  set(value: 'TRUE' | 'NA'): Promise<Turn>;
  /** Puts changes into the outbox as an earlier window would have left them. */
  prefill(
    caseUid: string,
    user: string,
    changes: readonly { id: string; change: string }[],
  ): Promise<void>;
}
declare global {
  interface Window {
    studio: BenchWindow;
  }
}

const tick = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 5);
  });

/**
 * Runs `work` while timers are asked for all the time: the longest wait for one is the longest
 * block.
 */
async function watched(work: (from: number) => Promise<Omit<Turn, 'blocked'>>): Promise<Turn> {
  let [running, blocked, last] = [true, 0, performance.now()];
  const watching = (async () => {
    while (running) {
      await tick();
      const now = performance.now();
      blocked = Math.max(blocked, now - last - 5);
      last = now;
    }
  })();
  const found = await work(performance.now());
  running = false;
  await watching;
  return { ...found, blocked };
}

const layer = await createDataLayer({
  fetch: (input, init) => fetch(input, init),
  now: () => Date.now(),
  elapsed: () => performance.now(),
  randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  hasher: browserHasher,
  locks: navigator.locks,
  broadcast: (name) => new BroadcastChannel(name),
  eventSource: (url) => new EventSource(url),
});
let session: MatrixSession | undefined;
const opened = (): MatrixSession => {
  if (session === undefined) throw new Error('No matrix is open.');
  return session;
};

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await tick();
}
function whenSaved(): Promise<void> {
  return until(() => opened().saveStatus.waiting === 0 && opened().saveStatus.storing === 0);
}

function database(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('evidence-studio');
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('no database')));
  });
}

window.studio = {
  open: (address) =>
    watched(async (from) => {
      session = await layer.openMatrix(address);
      const usable = performance.now() - from;
      await whenSaved();
      return { usable, done: performance.now() - from };
    }),
  received: (items) =>
    watched(async (from) => {
      await until(
        () =>
          opened().items.length >= items &&
          opened().rules.every((_, column) => opened().state(items - 1, column) !== null),
      );
      const usable = performance.now() - from;
      await whenSaved();
      return { usable, done: performance.now() - from };
    }),
  async set(value) {
    const { items, rules } = opened();
    const cells = items.flatMap(({ item_uid: item }) => rules.map((rule) => ({ item, rule })));
    const from = performance.now();
    await opened().write('Set', cells, { raw_outcome: value });
    const usable = performance.now() - from;
    // The gesture itself is the editor's, and its benchmark's: what is watched is the way to the
    // server.
    return watched(async () => {
      await whenSaved();
      return { usable, done: performance.now() - from };
    });
  },
  async prefill(caseUid, user, changes) {
    const db = await database();
    const outbox = db.transaction('outbox', 'readwrite').objectStore('outbox');
    for (const { id, change } of changes)
      outbox.add({
        id,
        case_uid: caseUid,
        user,
        text: change,
        bytes: change.length,
        created: Date.now(),
        state: 'waiting',
        reason: null,
      });
    await new Promise((resolve) => outbox.transaction.addEventListener('complete', resolve));
    db.close();
  },
};
