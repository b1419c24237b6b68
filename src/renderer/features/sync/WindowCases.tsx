import { pageAddress } from '../../../shared/contract/page-addresses.ts';
import { Link } from 'react-router';
import type { SyncOverview } from '../../data/sync/sync-overview.ts';
import type { WindowLink } from '../../data/sync/window-links.ts';
import { formatCount, formatDateTime } from '../../state/format.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Section } from '../../ui/Page.tsx';
import { Pager, usePager } from '../../ui/Pager.tsx';
import { Table } from '../../ui/Table.tsx';
import { useSyncOverview } from '../../state/use-sync-overview.ts';
import { t } from '../../text/t.ts';

const PAGE = 50;
const ask = (overview: SyncOverview) => overview.links();
const WORDS: Record<WindowLink['state'], string> = {
  equal: t('all changes saved'),
  waiting: t('pending'),
  blocked: t('set aside'),
  offline: t('offline'),
};
const TONES = {
  equal: 'plain',
  waiting: 'warning',
  blocked: 'danger',
  offline: 'warning',
} as const;
const time = (at: number | null): string =>
  at === null ? '–' : formatDateTime(new Date(at).toISOString());

/** The copies in this browser's own store, and how far each is in sync with the server. */
export function WindowCases() {
  const links = useSyncOverview(ask).data ?? [];
  const pager = usePager(links.length, PAGE);
  return (
    <Section
      title={t('Local copies')}
      note={t(
        'Each case that was opened here has a working copy in this window. A lost copy is built again from the server; pending changes are stored separately.',
      )}
    >
      {links.length === 0 ? (
        <p className="muted">{t('No case has been opened here yet.')}</p>
      ) : (
        <>
          <Table
            caption={t('Local copies')}
            dense
            head={
              <tr>
                <th scope="col">{t('Case')}</th>
                <th scope="col">{t('User')}</th>
                <th scope="col">{t('State')}</th>
                <th scope="col" className="n">
                  {t('Pending')}
                </th>
                <th scope="col">{t('Oldest')}</th>
                <th scope="col" className="n">
                  {t('Conflicts')}
                </th>
                <th scope="col" className="n">
                  {t('Set aside')}
                </th>
                <th scope="col" className="n">
                  {t('Rejected')}
                </th>
                <th scope="col">{t('Last sync')}</th>
                <th scope="col">{t('Verified in sync')}</th>
                <th scope="col">{t('Problem')}</th>
              </tr>
            }
          >
            {links.slice(pager.first, pager.end).map((link) => (
              <tr key={`${link.user} ${link.case_uid}`}>
                <th scope="row">
                  {link.mine ? (
                    <Link to={pageAddress('case', { caseUid: link.case_uid })}>
                      {link.case_uid}
                    </Link>
                  ) : (
                    link.case_uid
                  )}
                </th>
                <td>{link.mine ? t('you') : (link.userName ?? t('another user'))}</td>
                <td className="nowrap">
                  <Badge tone={TONES[link.state]}>{WORDS[link.state]}</Badge>
                </td>
                <td className="n">{formatCount(link.waiting)}</td>
                <td className="nowrap num">
                  {time(link.waiting + link.blocked > 0 ? link.oldest : null)}
                </td>
                <td className="n">{formatCount(link.review)}</td>
                <td className="n">{formatCount(link.blocked + link.quarantined)}</td>
                <td className="n">{formatCount(link.damaged)}</td>
                <td className="nowrap num">{time(link.lastOk)}</td>
                <td className="nowrap num">{time(link.verifiedAt)}</td>
                <td>{link.problem ?? '–'}</td>
              </tr>
            ))}
          </Table>
          <Pager pager={pager} what={t('cases')} />
        </>
      )}
    </Section>
  );
}
