import { describe, it } from 'vitest';
import { INSTANCES } from './server.ts';

/**
 * A test that several instances cannot be asked: it looks into one process or its file. Not there
 * at all in the project `instances`.
 */
export const alone =
  INSTANCES === 1
    ? it
    : (Object.assign(() => {}, { each: () => () => {} }) as unknown as typeof it);

/** The same for a group of nothing but such tests: an empty group would be a failure. */
export const describeAlone: (name: string, tests: () => void) => void =
  INSTANCES === 1 ? describe : () => {};
