import { lazy } from 'react';
import { Navigate, Outlet, type RouteObject } from 'react-router';
import { STUDIO_PAGES, type StudioPageName } from '../../shared/contract/page-addresses.ts';
import { AgentsPage } from '../features/account/agents/AgentsPage.tsx';
import { AccountPage } from '../features/account/AccountPage.tsx';
import { CompareVersionsPage } from '../features/profiles/compare/CompareVersionsPage.tsx';
import { ProfilePage } from '../features/profiles/ProfilePage.tsx';
import { ProfilesPage } from '../features/profiles/ProfilesPage.tsx';
import { ProfileMenu } from './housekeeping/ProfileMenu.tsx';
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
const DiscussionPage = lazy(async () => ({
  default: (await import('./pages/DiscussionPage.tsx')).DiscussionPage,
}));
const RoundsPage = lazy(async () => ({
  default: (await import('./pages/RoundsPage.tsx')).RoundsPage,
}));
const RoundPage = lazy(async () => ({
  default: (await import('./pages/RoundPage.tsx')).RoundPage,
}));
const SuggestionsPage = lazy(async () => ({
  default: (await import('./pages/SuggestionsPage.tsx')).SuggestionsPage,
}));
const SignedRunPage = lazy(async () => ({
  default: (await import('./pages/SignedRunPage.tsx')).SignedRunPage,
}));
const ItemPage = lazy(async () => ({
  default: (await import('../features/runs/item/ItemPage.tsx')).ItemPage,
}));
const ComparePage = lazy(async () => ({
  default: (await import('../features/runs/compare/ComparePage.tsx')).ComparePage,
}));
const ReportPage = lazy(async () => ({
  default: (await import('../features/runs/report/ReportPage.tsx')).ReportPage,
}));

const PAGES: Readonly<Record<StudioPageName, React.ReactElement>> = {
  projects: <ProjectsPage />,
  project: <ProjectPage />,
  case: <CasePage />,
  carryForward: <CarryForwardPage />,
  suggestions: <SuggestionsPage />,
  discussion: <DiscussionPage />,
  rounds: <RoundsPage />,
  round: <RoundPage />,
  runs: <RunsPage />,
  run: <SignedRunPage />,
  runItem: <ItemPage />,
  compareRuns: <ComparePage />,
  report: <ReportPage />,
  profiles: <ProfilesPage more={(entry) => <ProfileMenu entry={entry} />} />,
  profile: <ProfilePage />,
  compareVersions: <CompareVersionsPage />,
  profileDraft: <DraftPage />,
  sync: <SyncPage />,
  agents: <AgentsPage />,
  account: <AccountPage />,
};
const NAMES = Object.keys(PAGES) as StudioPageName[];

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
      ...NAMES.map((name) => page(STUDIO_PAGES[name], PAGES[name])),
      page('/', <Navigate to={STUDIO_PAGES.projects} replace />),
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
