import { commonAncestor, digestBuckets, missingIds } from './log-compare.ts';
import { logLengths, changeToken, changeTokens, readChanges } from './log-read.ts';
import { tail } from './log-tail.ts';

export const logReads = {
  changeToken,
  changeTokens,
  lengths: logLengths,
  missing: missingIds,
  ancestor: commonAncestor,
  digest: digestBuckets,
  changes: readChanges,
  tail,
};
