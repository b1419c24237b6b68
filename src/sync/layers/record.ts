import { layerOf, type Register } from '../register.ts';
import { isAnnounced } from './authors.ts';

/**
 * The item that an applied entry makes a row for where there is none (V1). What only stands beside
 * the record makes none: a suggestion for an item that nobody has added would change every result.
 */
export const rowOf = (register: Register, stream: string): string | undefined =>
  layerOf(stream) === undefined &&
  (register.kind === 'assertion' || register.kind === 'notes' || register.kind === 'item')
    ? register.item
    : undefined;

/**
 * Whether heads of a register that differ are a conflict for people. The heads of a suggestion are
 * one source's, and announcements have none.
 */
export const mayConflict = (register: Register): boolean =>
  register.kind !== 'suggestion' &&
  register.kind !== 'run' &&
  register.kind !== 'profile' &&
  !isAnnounced(register);
