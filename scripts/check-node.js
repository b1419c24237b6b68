// Plain JavaScript: it must run on the Node that cannot run the rest.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 14)) {
  console.error(
    `Evidence Studio needs Node 24.14 or newer and got ${process.version}: run \`npm ci\`, which brings it, and start through \`npm run\`.`,
  );
  process.exit(1);
}
