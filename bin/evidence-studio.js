#!/usr/bin/env node
import { fileURLToPath } from 'node:url';

// Plain JavaScript that any Node can parse, so that an old one shows a sentence instead of a syntax
// error.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 14)) {
  console.error(
    `Evidence Studio needs Node 24.14 or newer, and this is ${process.versions.node}: run it as "npx evidence-studio" in its folder, which brings its own Node.`,
  );
  process.exit(1);
}
const [{ enableCompileCache, flushCompileCache }, { setFlagsFromString }] = await Promise.all([
  import('node:module'),
  import('node:v8'),
]);
// Loading the program must not make the heap large; a server sets more itself
// (src/server/instance/heap.ts).
setFlagsFromString('--semi-space-growth-factor=1');
// Caches compiled code, so that later starts are faster and need less memory. Where nothing can be
// written, nothing is cached.
enableCompileCache(
  fileURLToPath(new URL('../node_modules/.cache/evidence-studio', import.meta.url)),
);
const { main } = await import('../src/server/commands/bin.ts');
// Before the settings are changed back: they are part of what makes a cached file valid.
flushCompileCache();
await main(process.argv.slice(2));
