import { commonAncestor, digestBuckets, missingIds } from './log-compare.ts';
import { logLengths, movedMark, movedMarks, positions, readChanges, tail } from './log-read.ts';

export const logReads = {
  moved: movedMark,
  marks: movedMarks,
  lengths: logLengths,
  positions,
  missing: missingIds,
  ancestor: commonAncestor,
  digest: digestBuckets,
  changes: readChanges,
  tail,
};
