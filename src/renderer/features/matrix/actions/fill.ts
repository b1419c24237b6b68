import type { Action } from './action.ts';

export const fillActions: readonly Action[] = [];
