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
 * What stands beside the record: what is suggested and decided of it; what is discussed, and who is
 * to look at what; and what governs who is shown it and may write in it: rounds and stages.
 */
export const BESIDE = ['suggestions', 'discussion', 'access'] as const;
export type BesideKind = (typeof BESIDE)[number];

const BESIDE_OF: Partial<Record<Register['kind'], BesideKind>> = {
  suggestion: 'suggestions',
  decision: 'suggestions',
  thread: 'discussion',
  assigned: 'discussion',
  round: 'access',
  done: 'access',
  removed: 'access',
  stage: 'access',
};

/** What of it a register is; undefined for those of the record. */
export const besideOf = ({ kind }: Register): BesideKind | undefined => BESIDE_OF[kind];

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
