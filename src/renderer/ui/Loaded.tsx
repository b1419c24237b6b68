import { STUDIO_PAGES } from '../../shared/contract/page-addresses.ts';
import { createContext, type ReactNode, useContext } from 'react';
import { Button, ButtonLink } from './Button.tsx';
import { Notice } from './Notice.tsx';
import { Skeleton } from './Skeleton.tsx';
import { rich } from '../text/rich.ts';
import { t } from '../text/t.ts';

interface ShownRefusal {
  kind: string;
  title: string;
  message: string;
  requestId?: string | undefined;
  details?: readonly { path: string; message: string }[];
}

/** A failure in words, with what can be done about it. */
export function FailureNotice({
  failure,
  onRetry,
}: {
  failure: ShownRefusal;
  onRetry?: () => void;
}) {
  const actions = (
    <>
      {failure.kind === 'signed-out' && <SignIn />}
      {onRetry !== undefined && (
        <Button size="sm" onClick={onRetry}>
          {t('Try again')}
        </Button>
      )}
    </>
  );
  return (
    <Notice
      tone={failure.kind === 'offline' ? 'warning' : 'danger'}
      title={failure.title}
      live
      actions={actions}
    >
      <p>{failure.message}</p>
      {failure.details !== undefined && failure.details.length > 0 && (
        <ul className="plain-list">
          {failure.details.map((detail) => (
            <li key={`${detail.path} ${detail.message}`}>
              <code>{detail.path}</code> {detail.message}
            </li>
          ))}
        </ul>
      )}
      {failure.requestId !== undefined && (
        <p className="muted">{rich('Request {id}', { id: <code>{failure.requestId}</code> })}</p>
      )}
    </Notice>
  );
}

/**
 * The server answers a page without a session with how to sign in to it. What is unsent stays in
 * this window's store meanwhile.
 */
function SignIn() {
  return (
    <Button size="sm" onClick={() => window.location.reload()}>
      {t('Sign in')}
    </Button>
  );
}

interface LoadedProps<T> {
  query: {
    data: T | undefined;
    failure: ShownRefusal | undefined;
    loading: boolean;
    reload: () => void;
    keptAt?: number | undefined;
    isPartial?: boolean;
  };
  /** What is being loaded, for the line read out meanwhile: "projects". */
  what: string;
  lines?: number;
  children: (data: T) => ReactNode;
}

const loadedBefore = (failure: ShownRefusal): ShownRefusal => ({
  ...failure,
  title: t('{title}; showing what was loaded before', { title: failure.title }),
});

/**
 * True inside parts of a page below a notice that the server cannot be reached.
 */
const IsAnnounced = createContext(false);

/**
 * Says once, above several parts of a page, that the server cannot be reached. `query` must be one
 * that is asked whenever the page opens.
 */
export function AnnounceOnce({
  query,
  onRetry,
  children,
}: {
  query: LoadedProps<unknown>['query'];
  onRetry: () => void;
  children: ReactNode;
}) {
  const { failure, loading } = query;
  const isAway = failure?.kind === 'offline';
  // While it is being asked, the parts do not say it either: its own answer comes in a moment.
  return (
    <IsAnnounced value={isAway || loading}>
      {isAway && (
        <FailureNotice
          failure={query.data === undefined ? failure : loadedBefore(failure)}
          onRetry={onRetry}
        />
      )}
      {children}
    </IsAnnounced>
  );
}

/** The four states of loaded content: not yet, failed, here, and here but possibly out of date. */
export function Loaded<T>({ query, what, lines, children }: LoadedProps<T>) {
  const isAnnounced =
    useContext(IsAnnounced) && (query.failure === undefined || query.failure.kind === 'offline');
  if (query.data === undefined) {
    if (query.failure === undefined)
      return <Skeleton lines={lines} label={t('Loading {what}…', { what })} />;
    if (query.failure.kind === 'missing') return <Missing />;
    if (isAnnounced)
      return <p className="muted">{t('Not available offline: {what}.', { what })}</p>;
    return <FailureNotice failure={query.failure} onRetry={query.reload} />;
  }
  return (
    <>
      {query.keptAt !== undefined &&
        (isAnnounced ? (
          <p className="muted">{keptWords(query.keptAt, query.isPartial)}</p>
        ) : (
          <KeptNotice words={keptWords(query.keptAt, query.isPartial)} onRetry={query.reload} />
        ))}
      {query.failure !== undefined && !isAnnounced && (
        <FailureNotice failure={loadedBefore(query.failure)} onRetry={query.reload} />
      )}
      {children(query.data)}
    </>
  );
}

const keptWords = (at: number, isPartial = false): string =>
  [
    t('Shown is the copy stored on this computer on {time}.', {
      // As every date in the studio's tables is written.
      time: new Date(at).toLocaleString('sv-SE'),
    }),
    ...(isPartial ? [t('Only what was opened here is listed; the server may have more.')] : []),
  ].join(' ');

/** Offline: the copy of the last visit, and when that was. */
function KeptNotice({ words, onRetry }: { words: string; onRetry: () => void }) {
  return (
    <Notice
      tone="warning"
      title={t('The server cannot be reached')}
      live
      actions={
        <Button size="sm" onClick={onRetry}>
          {t('Try again')}
        </Button>
      }
    >
      <p>{words}</p>
    </Notice>
  );
}

function Missing() {
  return (
    <Notice
      title={t('There is nothing at this address')}
      actions={
        <ButtonLink size="sm" to={STUDIO_PAGES.projects}>
          {t('To the projects')}
        </ButtonLink>
      }
    >
      <p>{t('It does not exist, or it belongs to another account.')}</p>
    </Notice>
  );
}
