import nodeModule from 'node:module';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Notice } from './messages.ts';

/** The first file of a store's thread, where it is not said to be another. */
const ENTRY = new URL('./entry.js', import.meta.url);

/** A thread that was asked for nothing yet: it loads what it needs. */
export interface StartedThread {
  file: string;
  worker: Worker;
  /** What it says once it is there; rejects where it has failed by now, before or after that. */
  greeting(): Promise<Notice>;
}

function start(file: URL): StartedThread {
  // It keeps the caches of a version in folders of their own. Some runtimes have none.
  const cache = nodeModule.getCompileCacheDir?.();
  const worker = new Worker(file, {
    execArgv: [],
    workerData: cache === undefined ? undefined : path.dirname(cache),
  });
  // No store may come to be opened: then it ends with the process.
  worker.unref();
  const failed = new Promise<never>((_, reject) => worker.once('error', reject));
  failed.catch(() => undefined);
  const said = new Promise<Notice>((resolve) => worker.once('message', resolve));
  return { file: file.href, worker, greeting: () => Promise.race([failed, said]) };
}

let ahead: StartedThread | undefined;

/**
 * Starts the thread of the store that will be opened, which takes as long as a good part of the
 * program: it loads while that does.
 */
export function startAhead(file = ENTRY): void {
  ahead ??= start(file);
}

/** The thread that was started ahead, or a new one; the process lives as long as it does. */
export function startThread(file = ENTRY): StartedThread {
  const started = ahead?.file === file.href ? ahead : start(file);
  if (started === ahead) ahead = undefined;
  started.worker.ref();
  return started;
}
