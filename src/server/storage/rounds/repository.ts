import { exportLayer, importLayer } from './carry-layer.ts';
import { finishRound, recordInRound } from './record-in-round.ts';
import { roundAgreement, roundEvidence } from './round-evidence.ts';
import { roundRatings } from './round-ratings.ts';
import { recordersOf } from './stored-rounds.ts';
import { getRound, listRounds } from './show-rounds.ts';
import { openRound, releaseRound, removeRecorder } from './write-rounds.ts';

export const roundReads = {
  list: listRounds,
  get: getRound,
  evidence: roundEvidence,
  agreement: roundAgreement,
  ratings: roundRatings,
  recording: recordersOf,
  exportLayer,
};
export const roundWrites = {
  open: openRound,
  record: recordInRound,
  finish: finishRound,
  importLayer,
  release: releaseRound,
  removeRecorder,
};
