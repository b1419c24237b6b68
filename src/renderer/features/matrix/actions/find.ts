import type { Action } from './action.ts';

export const findActions: readonly Action[] = [];
