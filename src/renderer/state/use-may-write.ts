import { useQuery } from './query.ts';

/** False for a viewer, whom the server would refuse: pages then offer nothing to make or change. */
export function useMayWrite(): boolean {
  return useQuery('session', (library) => library.session()).data?.user.role !== 'viewer';
}
