import { getUsage } from '../../shared/contract/v1/account.ts';
import { listMembers } from '../../shared/contract/v1/team.ts';
import { t } from '../text/t.ts';
import { type Query, useQuery } from './query.ts';
import { useServices } from './services.tsx';

/** Somebody who can be named in a case: a person of the account, or an agent by its key. */
export interface Person {
  id: string;
  name: string;
  mayRecord: boolean;
}

/** The people of the account, and the agents whose keys are in use. */
export function usePeople(): Query<Person[]> {
  const { call, clock } = useServices();
  return useQuery('people', async () => {
    const [{ members }, { api_keys }] = await Promise.all([call(listMembers), call(getUsage)]);
    const agents = api_keys.filter(
      ({ revoked_at, scopes }) =>
        revoked_at === null && scopes.some((scope) => scope === 'write' || scope === 'suggest'),
    );
    return {
      data: [
        ...members.map(({ user_id, name, role }) => ({
          id: user_id,
          name,
          mayRecord: role !== 'viewer',
        })),
        ...agents.map(({ key_id, name, scopes }) => ({
          id: key_id,
          name: t('{name} (agent)', { name }),
          mayRecord: scopes.includes('write'),
        })),
      ],
      stale: false,
      at: clock.now(),
    };
  });
}
