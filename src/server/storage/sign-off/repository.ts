import { getSignOff } from './read-stage.ts';
import { addSignature, signaturesOf } from './signatures.ts';
import {
  addTimeStamp,
  noteStampAttempt,
  stampingAccounts,
  stampsOn,
  takeStampRequests,
} from './time-stamps.ts';
import { moveCase } from './write-stage.ts';

export const signOffReads = {
  get: getSignOff,
  signatures: signaturesOf,
  stamps: stampsOn,
  stampingAccounts,
};
export const signOffWrites = {
  move: moveCase,
  sign: addSignature,
  takeStampRequests,
  noteStampAttempt,
  addTimeStamp,
};
