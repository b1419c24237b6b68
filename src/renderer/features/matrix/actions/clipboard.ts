import type { Action } from './action.ts';

export const clipboardActions: readonly Action[] = [];
