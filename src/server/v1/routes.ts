import { API } from '../../shared/contract/api.ts';
import type { Route } from '../http/route.ts';
import { accountRoutes } from './account.ts';
import { auditRoutes } from './audit.ts';
import { casesRoutes } from './cases.ts';
import { cellRoutes } from './cells.ts';
import { contestedRoutes } from './contested.ts';
import { discussionRoutes } from './discussion.ts';
import { evidenceRoutes } from './evidence.ts';
import { housekeepingRoutes } from './housekeeping.ts';
import { pairingRoutes } from './pairing.ts';
import { profileCollisionsRoutes } from './profile-collisions.ts';
import { profilesRoutes } from './profiles.ts';
import { projectsRoutes } from './projects.ts';
import { roundsRoutes } from './rounds.ts';
import { signOffRoutes } from './sign-off.ts';
import { noticeRoutes } from './notices.ts';
import { runBundleRoutes } from './run-bundle.ts';
import { signatureRoutes } from './signatures.ts';
import { runComparisonRoutes } from './run-comparison.ts';
import { runsRoutes } from './runs.ts';
import { suggestionRoutes } from './suggestions.ts';
import { syncBatchRoutes } from './sync-batch.ts';
import { syncRunsRoutes } from './sync-runs.ts';
import { syncRoutes } from './sync.ts';
import { teamRoutes } from './team.ts';
import { uplinkRoutes } from './uplink.ts';

const all: readonly Route[] = [
  ...accountRoutes,
  ...auditRoutes,
  ...casesRoutes,
  ...cellRoutes,
  ...contestedRoutes,
  ...discussionRoutes,
  ...evidenceRoutes,
  ...housekeepingRoutes,
  ...pairingRoutes,
  ...profileCollisionsRoutes,
  ...profilesRoutes,
  ...projectsRoutes,
  ...roundsRoutes,
  ...signOffRoutes,
  ...signatureRoutes,
  ...runBundleRoutes,
  ...noticeRoutes,
  ...runComparisonRoutes,
  ...runsRoutes,
  ...suggestionRoutes,
  ...syncBatchRoutes,
  ...syncRunsRoutes,
  ...syncRoutes,
  ...teamRoutes,
  ...uplinkRoutes,
];

/** One for each operation of the contract. */
export const ROUTES: readonly Route[] = API.map((endpoint) => {
  const route = all.find((one) => one.endpoint === endpoint);
  if (route === undefined) throw new TypeError(`There is no route of ${endpoint.id}.`);
  return route;
});
