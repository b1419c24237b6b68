import { pageAddress, STUDIO_PAGES } from '../../shared/contract/page-addresses.ts';
import { CircleAlert, CircleCheck, CloudOff, LoaderCircle } from 'lucide-react';
import { Link, useLocation } from 'react-router';
import { mayRecord } from '../../shared/contract/roles.ts';
import { formatCount } from '../state/format.ts';
import { useQuery } from '../state/query.ts';
import { useSyncStatusOfAll } from '../state/use-sync-status.ts';
import { Badge } from '../ui/Badge.tsx';
import { PoliteNews } from '../ui/PoliteNews.tsx';
import { rich } from '../text/rich.ts';
import { t } from '../text/t.ts';

const ICONS = { saved: CircleCheck, busy: LoaderCircle, waiting: CloudOff, problem: CircleAlert };

/**
 * The state of all work, shown in the bar of every page, and the link to the page with the details.
 */
export function SyncState() {
  const session = useQuery('session', (library) => library.session());
  const syncStatus = useSyncStatusOfAll();
  const isCase = useLocation().pathname.startsWith(pageAddress('case', { caseUid: '' }));
  const server = session.data?.server;
  const isAway = session.failure?.kind === 'offline' || session.keptAt !== undefined;
  const some = syncStatus.figures.filter((figure) => figure.count > 0);
  const short =
    some.length === 0
      ? t('All changes saved')
      : some.map((figure) => `${formatCount(figure.count)} ${figure.short}`).join(', ');
  const Icon = ICONS[syncStatus.tone];
  return (
    <>
      <span role="status" className="server-state">
        {isAway && <Badge tone="warning">{t('Server away')}</Badge>}
        {session.data !== undefined &&
          !mayRecord(session.data.user.role) &&
          (session.data.account.without_owner === true ? (
            <Badge tone="warning">
              {rich('No owner<span>: reads only, ask whoever runs the server</span>', {
                span: (text) => <span className="state-more">{text}</span>,
              })}
            </Badge>
          ) : (
            <Badge>
              <span>
                {rich('Viewer<span>: reads only</span>', {
                  span: (text) => <span className="state-more">{text}</span>,
                })}
              </span>
            </Badge>
          ))}
        {session.failure?.kind === 'signed-out' && <Badge tone="warning">{t('Signed out')}</Badge>}
        {server?.read_only === true && (
          <Badge tone="warning">
            {server.read_only_reason === null
              ? t('Read only')
              : `${t('Read only')}: ${server.read_only_reason}`}
          </Badge>
        )}
      </span>
      <Link
        to={STUDIO_PAGES.sync}
        className="sync-state"
        data-tone={syncStatus.tone}
        title={syncStatus.text}
        aria-label={t('Sync: {short}. {text}', { short, text: syncStatus.text })}
      >
        <Icon size={14} aria-hidden="true" />
        <span>{short}</span>
      </Link>
      {/* An open matrix says it itself. */}
      {!isCase && (
        <PoliteNews
          text={
            syncStatus.tone === 'busy' || syncStatus.tone === 'saved'
              ? t('Changes are being saved.')
              : syncStatus.news
          }
        />
      )}
    </>
  );
}
