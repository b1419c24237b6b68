import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';

/** What the thread answers: its result, SQLite's error, or that it has no SQLite. */
type Message<R> =
  | { result: R }
  | { failure: { message: string; code: unknown; errcode: unknown } }
  | 'no sqlite';

/** Work on a database, as a function that uses nothing but its parameters. */
type DatabaseWork<A extends string[], R> = (Database: typeof DatabaseSync, ...files: A) => R;

class ThreadEndedError extends Error {
  override name = 'ThreadEndedError';
}

/**
 * Runs a function in a thread, from its own text, so that bundles need no extra file. Meanwhile
 * this thread keeps answering requests.
 */
export async function inThread<A extends string[], R>(
  work: DatabaseWork<A, R>,
  ...files: A
): Promise<R> {
  const program = `
const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
const sqlite = process.getBuiltinModule('node:sqlite');
try {
  parentPort.postMessage(sqlite === undefined ? 'no sqlite' : { result: (${work.toString()})(sqlite.DatabaseSync, ...workerData) });
} catch ({ message, code, errcode }) {
  parentPort.postMessage({ failure: { message, code, errcode } });
}`;
  const worker = new Worker(program, { eval: true, workerData: files, execArgv: [] });
  const said = await new Promise<Message<R>>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () =>
      reject(new ThreadEndedError('The thread has ended without a result.')),
    );
  });
  // A runtime whose SQLite is not Node's own has it in the main thread only.
  if (said === 'no sqlite') return work(DatabaseSync, ...files);
  if ('failure' in said)
    throw Object.assign(new Error(said.failure.message), {
      code: said.failure.code,
      errcode: said.failure.errcode,
    });
  return said.result;
}
