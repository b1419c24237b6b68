import { lazy } from 'react';
import { Navigate, Outlet, type RouteObject } from 'react-router';
import { AccountPage } from '../features/account/AccountPage.tsx';
import { CompareVersionsPage } from '../features/profiles/compare/CompareVersionsPage.tsx';
import { ProfilePage } from '../features/profiles/ProfilePage.tsx';
import { ProfilesPage } from '../features/profiles/ProfilesPage.tsx';
import { ProjectPage } from './pages/ProjectPage.tsx';
import { ProjectsPage } from './pages/ProjectsPage.tsx';
import { SyncPage } from '../features/sync/SyncPage.tsx';
import { RunsPage } from './pages/RunsPage.tsx';
import { NotFound, RouteError } from './RouteError.tsx';
import { Shell } from './Shell.tsx';

// The two pages with a grid bring most of the code; the others open without it.
const CasePage = lazy(async () => ({ default: (await import('./pages/CasePage.tsx')).CasePage }));
const DraftPage = lazy(async () => ({
  default: (await import('../features/profiles/editor/DraftPage.tsx')).DraftPage,
}));
const CarryForwardPage = lazy(async () => ({
  default: (await import('./pages/CarryForwardPage.tsx')).CarryForwardPage,
}));
const RunPage = lazy(async () => ({
  default: (await import('../features/runs/RunPage.tsx')).RunPage,
}));
const ComparePage = lazy(async () => ({
  default: (await import('../features/runs/ComparePage.tsx')).ComparePage,
}));
const ReportPage = lazy(async () => ({
  default: (await import('../features/runs/ReportPage.tsx')).ReportPage,
}));

const page = (path: string, element: React.ReactElement): RouteObject => ({
  path,
  element,
  errorElement: <RouteError />,
});

export const routes: RouteObject[] = [
  {
    element: <Shell />,
    errorElement: (
      <Bare>
        <RouteError />
      </Bare>
    ),
    children: [
      page('/studio', <ProjectsPage />),
      page('/studio/projects/:projectId', <ProjectPage />),
      page('/studio/cases/:caseUid', <CasePage />),
      page('/studio/cases/:caseUid/carry-forward', <CarryForwardPage />),
      page('/studio/runs', <RunsPage />),
      page('/studio/runs/:runUid', <RunPage />),
      page('/studio/runs/:runUid/compare', <ComparePage />),
      page('/studio/runs/:runUid/report', <ReportPage />),
      page('/studio/profiles', <ProfilesPage />),
      page('/studio/profiles/:profileUid', <ProfilePage />),
      page('/studio/profiles/:profileUid/compare', <CompareVersionsPage />),
      page('/studio/profile-drafts/:draftId', <DraftPage />),
      page('/studio/sync', <SyncPage />),
      page('/account', <AccountPage />),
      page('/', <Navigate to="/studio" replace />),
      page('*', <NotFound />),
    ],
  },
];

/** Where even the frame failed. */
function Bare({ children }: { children: React.ReactNode }) {
  return (
    <main id="content">
      {children}
      <Outlet />
    </main>
  );
}
