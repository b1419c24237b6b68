import { isAnnounced } from './layers/authors.ts';
import type { Register } from './register.ts';

const isReason = (why: string | null): boolean => why !== null && why.trim() !== '';

/** A release and a move to another stage are for good: they say why. */
const needsReason = (register: Register): boolean =>
  register.kind === 'stage' || (register.kind === 'round' && register.field === 'state');

/**
 * Which operation writes a register, with how many parents and whether with a reason (S2 to S4).
 */
export function operationFits(
  register: Register,
  op: string,
  parents: readonly string[],
  why: string | null,
): boolean {
  if (register.kind === 'run' || register.kind === 'profile' || isAnnounced(register))
    return op === 'announce' && parents.length === 0 && (!needsReason(register) || isReason(why));
  if (op === 'set') return parents.length <= 1;
  return op === 'resolve' && parents.length > 0 && isReason(why);
}
