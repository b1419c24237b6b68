/** The door to frozen runs: schemas, freezing and hashing, verification. */
export { CellAddress, ContentHash, FrozenCase, FrozenCell, FrozenItem, FrozenRun, RunRecord } from './run-record.ts';
export { type ContentParts, contentHash, type FreezeInput, type FreezeOutput, freezeRun, type RecordedCell, RunError, type RunErrorCode } from './run-freeze.ts';
export { type ResultDifference, type RunProblem, type RunVerification, verifyRun } from './run-verify.ts';
export { RunResult, RunSettings } from './result.ts';
