import { ACTIONS, answerOf } from '../answers.ts';
import { afterTaken, blame, isDueAgain, isSuspicious } from '../faults.ts';
import {
  diverged,
  marksOf,
  missingAnswer,
  passOver,
  pullAnswer,
  pushAnswer,
  startOver,
  verify,
} from '../link.ts';

/** The rules that the driver plays by. A test replaces one to see that its absence is noticed. */
export const RULES = {
  ACTIONS,
  answerOf,
  afterTaken,
  blame,
  diverged,
  isDueAgain,
  isSuspicious,
  marksOf,
  missingAnswer,
  passOver,
  pullAnswer,
  pushAnswer,
  startOver,
  verify,
};
