import { lengthOf } from './length.ts';

/**
 * The first file of the thread of a server's store, where the test is about something else: a
 * thread loads the program again, which takes longer than most tests. In CI there is none, as where
 * threads have no SQLite; `server/thread` and every suite of processes have one.
 */
export const STORE_THREAD: URL | undefined = lengthOf(
  new URL('./no-thread.js', import.meta.url),
  undefined,
);
