import { createKey } from '../../../shared/contract/v1/account.ts';
import { Refusal } from '../../errors.ts';
import { writeRoute } from '../../route.ts';
import { newKey } from './new-key.ts';

export const createKeyRoute = writeRoute(
  createKey,
  async (call) => {
    const { role, body } = call;
    if (role === 'viewer' && body.scopes.some((scope) => scope === 'write' || scope === 'delete'))
      throw new Refusal('read_only_role');
    return newKey(call, body, body.scopes, body.projects ?? null);
  },
  { changesMembers: true },
);
