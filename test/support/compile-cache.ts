/**
 * Test files, and threads of servers that a test composes, keep their compiled code, as those of
 * the command do: without that each start takes a second.
 */
import { enableCompileCache, flushCompileCache } from 'node:module';
import path from 'node:path';
import { afterAll } from 'vitest';

enableCompileCache(
  path.resolve(import.meta.dirname, '../../node_modules/.cache/evidence-studio-tests'),
);

declare global {
  // Of the process, which files may share.
  var testFilesDone: number | undefined;
}
const isPowerOfTwo = (count: number): boolean => (count & (count - 1)) === 0;

// A worker is killed in the end, and would store nothing. Each file adds less than the one before.
afterAll(() => {
  globalThis.testFilesDone = (globalThis.testFilesDone ?? 0) + 1;
  if (isPowerOfTwo(globalThis.testFilesDone)) flushCompileCache();
});
