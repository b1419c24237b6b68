import { STUDIO_PAGES } from '../../shared/contract/page-addresses.ts';
import { isRouteErrorResponse, useLocation, useRouteError } from 'react-router';
import { Button, ButtonLink } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page } from '../ui/Page.tsx';

/**
 * Takes the place of a page that broke while it was drawn; the bar and the other pages go on
 * working.
 */
export function RouteError() {
  const error = useRouteError();
  const location = useLocation();
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFound />;
  const message = error instanceof Error ? error.message : 'There is no further information.';
  return (
    <Page title="This page could not be shown">
      <EmptyState
        title="Something in the page failed"
        actions={
          <>
            <Button variant="primary" onClick={() => window.location.reload()}>
              Load the page again
            </Button>
            <ButtonLink to={STUDIO_PAGES.projects}>To the projects</ButtonLink>
          </>
        }
      >
        <p>
          What you recorded is not affected: it is stored separately from the pages that show it.
        </p>
        <pre className="code">{`${location.pathname}\n${message}`}</pre>
      </EmptyState>
    </Page>
  );
}

export function NotFound() {
  const location = useLocation();
  return (
    <Page title="Page not found">
      <EmptyState
        title="There is no page at this address"
        actions={
          <ButtonLink variant="primary" to={STUDIO_PAGES.projects}>
            To the projects
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
