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
// A worker is killed in the end, and would store nothing.
afterAll(() => flushCompileCache());
