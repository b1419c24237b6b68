/**
 * The first file of the store's thread. Plain JavaScript, so that the cache of compiled code is in
 * use before anything has to be compiled. Where the runtime has no SQLite for threads, it says so.
 */
import nodeModule from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

if (parentPort === null) throw new TypeError('This file is run by a thread.');
if (process.getBuiltinModule('node:sqlite') === undefined)
  parentPort.postMessage({ kind: 'no sqlite' });
else {
  // A thread does not take the cache over from its process.
  if (typeof workerData === 'string') nodeModule.enableCompileCache(workerData);
  const [{ keepHeapSmall }, { hostStore }] = await Promise.all([
    import('../instance/heap.ts'),
    import('./host.ts'),
  ]);
  if (typeof workerData === 'string') nodeModule.flushCompileCache();
  keepHeapSmall('store');
  hostStore(parentPort);
}
