import { STUDIO_PAGES, type StudioPageName } from '../../shared/contract/page-addresses.ts';
import { Suspense, useCallback } from 'react';
import { Link, matchPath, Outlet, ScrollRestoration, useLocation } from 'react-router';
import { useQuery } from '../state/query.ts';
import { useWindowDrop } from '../state/window-drop.ts';
import { Skeleton } from '../ui/Skeleton.tsx';
import { useToast } from '../ui/Toast.tsx';
import { AppearanceMenu } from './AppearanceMenu.tsx';
import { upsertCase } from '../../shared/contract/v1/cases.ts';
import { droppedFiles } from '../files/dropped.ts';
import { holdFiles } from '../state/files-in-hand.ts';
import { useMay } from '../state/use-may.ts';
import { isDialogOpen } from '../ui/is-dialog-open.ts';
import { CaseForFiles } from './first-files/CaseForFiles.tsx';
import { Notices } from './Notices.tsx';
import { HelpDialog } from './help/HelpDialog.tsx';
import { Palette } from './palette/Palette.tsx';
import { useFound } from './palette/use-found.ts';
import { usePageCommands } from './palette/use-page-commands.ts';
import { useRegionKeys } from './regions.ts';
import { SyncState } from './SyncState.tsx';
import { WaitingNews } from './WaitingNews.tsx';
import { useMenuActions } from './use-menu-actions.ts';
import { t } from '../text/t.ts';

interface PlaceOf {
  page: StudioPageName;
  label: string;
  /** The pages that belong to it, beside its own. */
  covers: readonly StudioPageName[];
}
const PLACES: readonly PlaceOf[] = [
  {
    page: 'projects',
    label: t('Projects'),
    covers: ['project', 'case', 'carryForward', 'suggestions', 'discussion', 'rounds', 'round'],
  },
  { page: 'runs', label: t('Runs'), covers: ['run', 'runItem', 'compareRuns', 'report'] },
  {
    page: 'profiles',
    label: t('Profiles'),
    covers: ['profile', 'compareVersions', 'profileDraft'],
  },
  { page: 'sync', label: t('Sync'), covers: [] },
  { page: 'account', label: t('Account'), covers: ['agents'] },
];

/**
 * Marks the navigation entry that the page belongs to; the value is `page` only on that page
 * itself.
 */
function Place({ page, label, covers }: PlaceOf) {
  const { pathname } = useLocation();
  const to = STUDIO_PAGES[page];
  const isCovered = [page, ...covers].some((name) => matchPath(STUDIO_PAGES[name], pathname));
  const current = pathname === to ? 'page' : isCovered ? 'true' : undefined;
  return (
    <Link to={to} className="place" aria-current={current}>
      {label}
    </Link>
  );
}

function Mark() {
  return (
    <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" className="brand-mark">
      <rect x="1" y="1" width="8" height="8" rx="1.5" className="mark-false" />
      <rect x="11" y="1" width="8" height="8" rx="1.5" className="mark-false" />
      <rect x="1" y="11" width="8" height="8" rx="1.5" className="mark-true" />
      <rect x="11.75" y="11.75" width="6.5" height="6.5" rx="1" className="mark-open" />
    </svg>
  );
}

/** A person with several accounts sees on every page which one is open. */
function OpenAccount() {
  const { data } = useQuery('session', (library) => library.session());
  if (data === undefined || data.accounts.length < 2) return null;
  return (
    <Link
      to={STUDIO_PAGES.account}
      className="open-account"
      aria-label={t('Account {name}', { name: data.account.name })}
    >
      {data.account.name}
    </Link>
  );
}

/** Files are imported into a case: where none is open, it is asked which. */
function useAskWhereFilesGo(): void {
  const announce = useToast();
  const mayWrite = useMay(upsertCase);
  useWindowDrop(
    useCallback(
      (data) => {
        if (isDialogOpen()) return;
        if (!mayWrite) announce({ title: t('Files are imported by those who may record.') });
        else
          void droppedFiles(data).then((files) => {
            if (typeof files === 'string') announce({ title: files, tone: 'danger' });
            else if (files !== undefined) holdFiles(files);
          });
      },
      [announce, mayWrite],
    ),
  );
}

/** The frame of every page: the bar with the places of the studio, and the page itself. */
export function Shell() {
  useMenuActions();
  usePageCommands();
  useAskWhereFilesGo();
  useRegionKeys();
  return (
    <>
      <a className="skip-link" href="#content">
        {t('Skip to content')}
      </a>
      <header className="bar">
        <Link
          to={STUDIO_PAGES.projects}
          className="brand"
          aria-label={t('Evidence Studio, projects')}
        >
          <Mark />
          <span>{t('Evidence Studio')}</span>
        </Link>
        <nav aria-label={t('Studio')} className="places">
          {PLACES.map((place) => (
            <Place key={place.page} {...place} />
          ))}
        </nav>
        <div className="bar-end">
          <WaitingNews />
          <OpenAccount />
          <SyncState />
          <AppearanceMenu />
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        <Notices />
        <CaseForFiles />
        <Suspense
          fallback={
            <div className="page">
              <Skeleton label={t('Loading the page…')} />
            </div>
          }
        >
          <Outlet />
        </Suspense>
      </main>
      <Palette useFound={useFound} />
      <HelpDialog />
      <ScrollRestoration />
    </>
  );
}
