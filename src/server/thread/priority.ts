import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import path from 'node:path';
import { isMainThread } from 'node:worker_threads';

/**
 * Has the operating system prefer the process's other threads to this one, which becomes `nicer` by
 * so much. Only on Linux, where each thread has a priority of its own.
 */
export function letOthersFirst(nicer: number): void {
  if (process.platform !== 'linux' || isMainThread) return;
  try {
    setPriority(
      Number(path.basename(readlinkSync('/proc/thread-self'))),
      Math.min(19, getPriority() + nicer),
    );
  } catch {
    // Where it is not allowed, the threads are equal.
  }
}
