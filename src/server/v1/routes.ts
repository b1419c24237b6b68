import type { Route } from '../http/route.ts';
import { accountRoutes } from './account.ts';
import { auditRoutes } from './audit.ts';
import { casesRoutes } from './cases.ts';
import { evidenceRoutes } from './evidence.ts';
import { profileCollisionsRoutes } from './profile-collisions.ts';
import { profilesRoutes } from './profiles.ts';
import { projectsRoutes } from './projects.ts';
import { runsRoutes } from './runs.ts';
import { syncRunsRoutes } from './sync-runs.ts';
import { syncRoutes } from './sync.ts';
import { teamRoutes } from './team.ts';
import { uplinkRoutes } from './uplink.ts';

export const ROUTES: readonly Route[] = [
  ...accountRoutes,
  ...auditRoutes,
  ...casesRoutes,
  ...evidenceRoutes,
  ...profileCollisionsRoutes,
  ...profilesRoutes,
  ...projectsRoutes,
  ...runsRoutes,
  ...syncRunsRoutes,
  ...syncRoutes,
  ...teamRoutes,
  ...uplinkRoutes,
];
