#!/usr/bin/env node
// Plain JavaScript that any Node can parse, so that an old one shows a sentence instead of a syntax
// error.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 14)) {
  console.error(
    `Evidence Studio needs Node 24.14 or newer, and this is ${process.versions.node}: run it as "npx evidence-studio" in its folder, which brings its own Node.`,
  );
  process.exit(1);
}
const [{ loadProgram }, { setFlagsFromString }] = await Promise.all([
  import('./load.js'),
  import('node:v8'),
]);
// Loading the program must not make the heap large; a server sets more itself
// (src/server/instance/heap.ts). What is set is part of what makes compiled code valid.
setFlagsFromString('--semi-space-growth-factor=1');
const { main } = await loadProgram('evidence-studio');
await main(process.argv.slice(2));
