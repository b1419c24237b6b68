import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import path from 'node:path';
import { isMainThread } from 'node:worker_threads';

/** How much nicer than the process's other threads. */
const NICE = 5;

/**
 * Has the operating system prefer the process's other threads to this one. Only on Linux, where
 * each thread has a priority of its own.
 */
export function letOthersFirst(): void {
  if (process.platform !== 'linux' || isMainThread) return;
  try {
    setPriority(
      Number(path.basename(readlinkSync('/proc/thread-self'))),
      Math.min(19, getPriority() + NICE),
    );
  } catch {
    // Where it is not allowed, the threads are equal.
  }
}
