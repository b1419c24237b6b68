/** The parts of a change's identity that must be the same in every engine, as a page runs them. */
export { browserHasher } from '../../../src/renderer/app/browser-hasher.ts';
export { canonicalJson } from '../../../src/shared/lib/canonical-json.ts';
export { addToSum, nextChain } from '../../../src/sync/log.ts';
