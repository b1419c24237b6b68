/** Frozen runs in one import: schemas, freezing and hashing, verification. */
export { type ContestedHead, type ContestedNotes, FrozenRun, RunRecord } from './run-record.ts';
export {
  type ContestedCell,
  contentHash,
  type FreezeInput,
  freezeRun,
  type RecordedCell,
  RunError,
} from './run-freeze.ts';
export { type RunVerification, verifying, verifyRun } from './run-verify.ts';
