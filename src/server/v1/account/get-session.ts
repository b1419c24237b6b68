import { getSession } from '../../../shared/contract/v1/account.ts';
import { readRoute } from '../../route.ts';
import { sessionValue } from './session-value.ts';

export const getSessionRoute = readRoute(
  getSession,
  async ({ actor, deps, reader }) => ({
    status: 200,
    value: await sessionValue(reader, deps, actor),
  }),
  { acrossAccounts: true },
);
