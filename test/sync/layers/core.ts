import { addToSum } from '../../../src/sync/log.ts';
import { applyEntry, displayedHead } from '../../../src/sync/heads.ts';
import {
  committedLayer,
  commitTo,
  ratingsOf,
  roundFigures,
} from '../../../src/sync/layers/committed.ts';
import { originOf } from '../../../src/sync/layers/origin.ts';
import { threadOf } from '../../../src/sync/layers/discussion.ts';
import { mayConflict, rowOf } from '../../../src/sync/layers/record.ts';
import {
  commitmentOf,
  hidesRecord,
  layerDenial,
  mayReadLayer,
  roundDenial,
  roundOf,
} from '../../../src/sync/layers/rounds.ts';
import {
  acceptable,
  acceptanceOf,
  broughtBack,
  suggestionState,
  takenBack,
} from '../../../src/sync/layers/suggestions.ts';
import { roundId } from '../../../src/shared/domain/round.ts';
import { stageOf } from '../../../src/sync/sign-off.ts';
import { appliedRegister } from '../../../src/sync/status.ts';

/** The functions under test, as the stores call them: a planted bug replaces one. */
export const realCore = {
  acceptable,
  acceptanceOf,
  addToSum,
  appliedRegister,
  applyEntry,
  broughtBack,
  commitmentOf,
  committedLayer,
  commitTo,
  displayedHead,
  hidesRecord,
  layerDenial,
  mayConflict,
  mayReadLayer,
  originOf,
  ratingsOf,
  roundDenial,
  roundFigures,
  roundId,
  roundOf,
  rowOf,
  stageOf,
  suggestionState,
  takenBack,
  threadOf,
};
export type LayersCore = typeof realCore;
