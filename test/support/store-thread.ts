import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import threads, { type WorkerOptions } from 'node:worker_threads';
import { lengthOf } from './length.ts';

/** No file: nothing is loaded. */
const NO_THREAD = new URL('data:text/javascript,');

/**
 * Stands for a thread that says that it has no SQLite, and ends: a real one takes 45 ms to start.
 */
function silent(): EventEmitter {
  const worker = Object.assign(new EventEmitter(), { ref: () => worker, unref: () => worker });
  setImmediate(() => {
    worker.emit('message', { kind: 'no sqlite' });
    worker.emit('exit', 0);
  });
  return worker;
}

/**
 * The first file of the thread of a server's store, where the test is about something else: a
 * thread loads the program again, which takes longer than most tests. In CI there is none, as where
 * threads have no SQLite; `server/thread` and every suite of processes have one.
 */
export const STORE_THREAD: URL | undefined = lengthOf(NO_THREAD, undefined);

threads.Worker = new Proxy(threads.Worker, {
  construct: (Worker, given: [file: string | URL, options?: WorkerOptions]) =>
    given[0] === NO_THREAD ? silent() : new Worker(...given),
});
syncBuiltinESMExports();
