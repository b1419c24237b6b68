import { layerOf, type Register } from '../register.ts';
import { isAnnounced } from './authors.ts';

/**
 * Whether a register of a case's own log is of the record of an item: its cells and fields, and not
 * what stands beside them.
 */
export const isOfItem = (
  register: Register,
): register is Extract<Register, { kind: 'assertion' | 'notes' | 'item' }> =>
  register.kind === 'assertion' || register.kind === 'notes' || register.kind === 'item';

/**
 * Whether a register stands beside the record: what people and agents say of it, or decide of that,
 * who records it independently, and whether it is approved.
 */
export const isBesideRecord = ({ kind }: Register): boolean =>
  kind === 'suggestion' ||
  kind === 'decision' ||
  kind === 'thread' ||
  kind === 'assigned' ||
  kind === 'round' ||
  kind === 'done' ||
  kind === 'removed' ||
  kind === 'stage';

/**
 * The item that an applied entry makes a row for where there is none (V1). What only stands beside
 * the record makes none: a suggestion for an item that nobody has added would change every result.
 */
export const rowOf = (register: Register, stream: string): string | undefined =>
  layerOf(stream) === undefined && isOfItem(register) ? register.item : undefined;

/**
 * Whether heads of a register that differ are a conflict for people. The heads of a suggestion are
 * one source's, and announcements have none.
 */
export const mayConflict = (register: Register): boolean =>
  register.kind !== 'suggestion' &&
  register.kind !== 'run' &&
  register.kind !== 'profile' &&
  !isAnnounced(register);
