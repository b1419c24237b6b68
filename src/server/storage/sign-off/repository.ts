import { getSignOff } from './read-stage.ts';
import { moveCase } from './write-stage.ts';

export const signOffReads = { get: getSignOff };
export const signOffWrites = { move: moveCase };
