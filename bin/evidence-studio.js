#!/usr/bin/env node
// Plain JavaScript that any Node can read, so that an old one gets a sentence and not a syntax error.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 14)) {
  console.error(`Evidence Studio needs Node 24.14 or newer, and this is ${process.versions.node}: run it as "npx evidence-studio" in its folder, which brings its own Node.`);
  process.exit(1);
}
const { main } = await import('../src/server/bin.ts');
await main(process.argv.slice(2));
