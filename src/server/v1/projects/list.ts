import { listProjects } from '../../../shared/contract/v1/projects.ts';
import { toPage } from '../../http/page.ts';
import { readRoute } from '../../route.ts';

export const listProjectsRoute = readRoute(listProjects, async ({ actor, query, reader }) => ({
  status: 200,
  value: await reader.projects.list(actor.account_id, toPage(query)),
}));
