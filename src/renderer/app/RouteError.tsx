import { STUDIO_PAGES } from '../../shared/contract/page-addresses.ts';
import { isRouteErrorResponse, useLocation, useRouteError } from 'react-router';
import { Button, ButtonLink } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page } from '../ui/Page.tsx';
import { t } from '../text/t.ts';

/**
 * Takes the place of a page that broke while it was drawn; the bar and the other pages go on
 * working.
 */
export function RouteError() {
  const error = useRouteError();
  const location = useLocation();
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFound />;
  const message = error instanceof Error ? error.message : t('There is no further information.');
  return (
    <Page title={t('This page could not be shown')}>
      <EmptyState
        title={t('Something in the page failed')}
        actions={
          <>
            <Button variant="primary" onClick={() => window.location.reload()}>
              {t('Load the page again')}
            </Button>
            <ButtonLink to={STUDIO_PAGES.projects}>{t('To the projects')}</ButtonLink>
          </>
        }
      >
        <p>
          {t(
            'What you recorded is not affected: it is stored separately from the pages that show it.',
          )}
        </p>
        {/* It may scroll, by keys too. */}
        <pre className="code" tabIndex={0}>{`${location.pathname}\n${message}`}</pre>
      </EmptyState>
    </Page>
  );
}

export function NotFound() {
  const location = useLocation();
  return (
    <Page title={t('Page not found')}>
      <EmptyState
        title={t('There is no page at this address')}
        actions={
          <ButtonLink variant="primary" to={STUDIO_PAGES.projects}>
            {t('To the projects')}
          </ButtonLink>
        }
      >
        <p>
          <code>{location.pathname}</code>
        </p>
      </EmptyState>
    </Page>
  );
}
