/** Properties play the same seed every time in CI, and one fresh seed a file in the long form. */
import fc from 'fast-check';
import { IS_LONG, seedOf } from './length.ts';

const seed = seedOf();
if (IS_LONG) console.log(`EVIDENCE_TEST_SEED=${seed}`);
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
