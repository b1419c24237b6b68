import { z } from 'zod';
import { readStored, writeStored } from './stored.ts';
import { t } from '../text/t.ts';

const KEY = 'evidence-studio.keep-origin';

/**
 * More cells than this are written with their origin only where that is asked for: each is then
 * stored and sent by itself.
 */
export const MANY_ORIGINS = 100_000;

/** What the choice says besides, where there are so many. */
export const manyOriginsHint = (cells: number): string =>
  cells > MANY_ORIGINS
    ? ` ${t('So many are stored and sent one by one, which takes a while: off until you ask for it.')}`
    : '';

/**
 * Whether cells that are pasted or imported keep what was read and where, as it was last chosen on
 * this computer.
 */
export const keepsOrigin = (): boolean => readStored(KEY, z.boolean()) ?? true;
export const rememberKeepsOrigin = (keeps: boolean): void => void writeStored(KEY, keeps);
