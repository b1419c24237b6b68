import { listProfileCollisions } from '../../../shared/contract/v1/profile-documents.ts';
import { readRoute } from '../../route.ts';

export const listProfileCollisionsRoute = readRoute(
  listProfileCollisions,
  async ({ actor, reader }) => ({
    status: 200,
    value: { data: await reader.profiles.collisions(actor.account_id), next_cursor: null },
  }),
);
