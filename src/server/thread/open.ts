import { MessageChannel } from 'node:worker_threads';
import type { Carrier } from '../context/call.ts';
import { keepHeapSmall } from '../instance/heap.ts';
import type { StoreOptions } from '../storage/open.ts';
import { type Notice, type Order, unpackError } from './messages.ts';
import { RemoteStore } from './remote-store.ts';
import { type StartedThread, startThread } from './start.ts';
import type { StorePorts } from '../storage/db/context.ts';
import type { Store } from '../storage/store.ts';

type OpenedNotice = Extract<Notice, { kind: 'opened' }>;

/** A store on a thread of its own, where calls are carried out beside it. */
export interface StoreThread extends Carrier {
  store: Store;
  /** Says what calls need to know of the server; before the first of them. */
  serve(deps: Extract<Order, { do: 'serve' }>['deps']): void;
}

/** Whichever thread it is. */
interface ThreadEnd {
  post(order: Order, transfer?: readonly ArrayBuffer[]): void;
  ended: Promise<void>;
  stop(): void;
}

/** What comes of it: its notices in their order, and an error that ended it. */
interface Receiver {
  receive(notice: Notice): void;
  fail(error: unknown): void;
}

/** Resolves to undefined where threads have no SQLite. */
async function onThread(
  { worker, greeting }: StartedThread,
  receiver: Receiver,
): Promise<ThreadEnd | undefined> {
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  if ((await greeting()).kind === 'no sqlite') return undefined;
  worker.removeAllListeners('error');
  worker.on('error', receiver.fail);
  worker.on('message', receiver.receive);
  return {
    post: (order, transfer = []) => worker.postMessage(order, transfer),
    ended,
    stop: () => void worker.terminate(),
  };
}

/** The same on this thread, for a runtime that has SQLite on its first thread alone. */
async function onThisThread(receiver: Receiver): Promise<ThreadEnd> {
  keepHeapSmall('store');
  const { port1, port2 } = new MessageChannel();
  const ended = new Promise<void>((resolve) => port1.once('close', () => resolve()));
  const { hostStore } = await import('./host.ts');
  hostStore(port2);
  await new Promise((resolve) => port1.once('message', resolve));
  port1.on('message', receiver.receive);
  return {
    post: (order, transfer = []) => port1.postMessage(order, transfer),
    ended,
    stop: () => port1.close(),
  };
}

/**
 * Opens a store on a thread of its own. `file`: the thread's first file, where it is not beside
 * this one.
 */
export async function openStoreThread(
  options: StoreOptions,
  { version, quotas }: Pick<StorePorts, 'version' | 'quotas'>,
  file?: URL,
): Promise<StoreThread> {
  const opened = Promise.withResolvers<OpenedNotice>();
  let remote: RemoteStore | undefined;
  const receiver: Receiver = {
    receive: (notice) =>
      notice.kind === 'opened' ? opened.resolve(notice) : remote?.receive(notice),
    fail: (error) => {
      opened.reject(error);
      remote?.end(error);
      // As if it had been thrown here: whatever the process does about an unforeseen error, it does
      // about this one.
      if (remote !== undefined) setImmediate(() => rethrow(error));
    },
  };
  const end = (await onThread(startThread(file), receiver)) ?? (await onThisThread(receiver));
  end.post({ do: 'open', options, version, quotas });
  const { outcome } = await opened.promise;
  if ('failure' in outcome) {
    end.stop();
    await end.ended;
    throw unpackError(outcome.failure);
  }
  const known = (remote = new RemoteStore(end, outcome.value));
  void end.ended.then(() => known.end());
  return {
    store: known.store(outcome.value),
    serve: (deps) => end.post({ do: 'serve', deps }),
    carryOut: (route, asked, url) => known.carryOut(route, asked, url),
  };
}

function rethrow(error: unknown): never {
  throw error;
}
