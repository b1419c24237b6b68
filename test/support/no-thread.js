/** A thread's first file on a runtime whose threads have no SQLite: the store opens on the first thread. */
import { parentPort } from 'node:worker_threads';

parentPort?.postMessage({ kind: 'no sqlite' });
