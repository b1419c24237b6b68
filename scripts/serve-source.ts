/**
 * `evidence-studio serve` from its source, whether it is built or not, so that Node watches that.
 */
import { loadProgram, SOURCE } from '../bin/load.js';

const { main } = await loadProgram('evidence-studio', SOURCE);
await main(['serve', ...process.argv.slice(2)]);
