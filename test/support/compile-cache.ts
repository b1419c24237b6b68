/**
 * Threads of servers that a test composes keep their compiled code, as those of the command do:
 * without that each start takes a second.
 */
import { enableCompileCache } from 'node:module';
import path from 'node:path';

enableCompileCache(
  path.resolve(import.meta.dirname, '../../node_modules/.cache/evidence-studio-tests'),
);
