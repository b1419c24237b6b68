import { type Entry, isAllowed } from '../../shared/contract/roles.ts';
import { useQuery } from './query.ts';

/** False where the server would refuse whoever is signed in, for their role: pages then do not offer the operation. */
export function useMay(operation: Entry): boolean {
  const role = useQuery('session', (library) => library.session()).data?.user.role;
  return role === undefined || isAllowed(role, operation);
}
