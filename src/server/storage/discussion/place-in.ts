import type { AssignedPlace } from '../../../shared/domain/thread.ts';
import { parseRegister } from '../../../sync/register.ts';

/** The place that a stored assignment is of. */
export const placeIn = (address: string): AssignedPlace => {
  const register = parseRegister(`assigned/${address}`);
  if (register?.kind !== 'assigned') throw new Error('A stored assignment has no place.');
  return register.place;
};
