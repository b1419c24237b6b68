import { type OperationAccess, isAllowed } from '../../shared/contract/roles.ts';
import { useQuery } from './query.ts';

/**
 * False where the server would refuse whoever is signed in, for their role: pages then do not offer
 * the operation.
 */
export function useMay(operation: OperationAccess): boolean {
  const role = useQuery('session', (library) => library.session()).data?.user.role;
  return role === undefined || isAllowed(role, operation);
}

/**
 * Who shows profiles to every account of this server: whoever is signed in, else an owner of the
 * account, or whoever runs the server.
 */
export function usePublisher(): 'you' | 'an owner' | 'operator' {
  const session = useQuery('session', (library) => library.session()).data;
  if (session?.server.operator_only.publishing === true) return 'operator';
  return session === undefined || session.user.role === 'owner' ? 'you' : 'an owner';
}
