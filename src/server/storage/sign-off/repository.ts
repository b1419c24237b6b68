import { getSignOff } from './read-stage.ts';
import { addSignature, signaturesOf } from './signatures.ts';
import { moveCase } from './write-stage.ts';

export const signOffReads = { get: getSignOff, signatures: signaturesOf };
export const signOffWrites = { move: moveCase, sign: addSignature };
