import type { Action } from './action.ts';

export const columnsActions: readonly Action[] = [];
