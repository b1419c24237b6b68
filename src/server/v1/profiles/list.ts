import { listProfiles } from '../../../shared/contract/v1/profiles.ts';
import { toPage } from '../../http/page.ts';
import { readRoute } from '../../route.ts';

export const listProfilesRoute = readRoute(listProfiles, async ({ actor, query, reader }) => ({
  status: 200,
  value: await reader.profiles.list(actor.account_id, toPage(query)),
}));
