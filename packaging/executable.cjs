// The one file inside the single executable: it starts the program that lies beside it. CommonJS,
// since Node puts nothing else into an executable.
const { createRequire } = require('node:module');
const path = require('node:path');

const program = path.join(path.dirname(process.execPath), 'lib/out/server/index.js');
createRequire(program)(program).main(process.argv.slice(2));
