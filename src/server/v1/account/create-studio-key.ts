import { createStudioKey } from '../../../shared/contract/v1/account.ts';
import { writeRoute } from '../../route.ts';
import { newKey } from './new-key.ts';

export const createStudioKeyRoute = writeRoute(
  createStudioKey,
  (call) => newKey(call, call.body, ['sync'], null),
  { changesMembers: true },
);
