import type { LinkStatus } from '../../../shared/contract/v1/uplink.ts';
import { formatCount, formatDateTime } from '../../state/format.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Section } from '../../ui/Page.tsx';
import { ListPager } from '../../ui/Pager.tsx';
import { Table } from '../../ui/Table.tsx';
import { useLinks } from './use-links.ts';
import { t } from '../../text/t.ts';

const KINDS: Record<LinkStatus['kind'], string> = {
  case: t('Case'),
  project: t('Project'),
  profiles: t('Profiles'),
  layer: t('Recorded in a round of'),
};
const WORDS: Record<LinkStatus['state'], string> = {
  equal: t('in sync'),
  syncing: t('syncing'),
  waiting: t('pending'),
  blocked: t('set aside'),
  stopped: t('stopped'),
};
const TONES = {
  equal: 'accent',
  syncing: 'plain',
  waiting: 'warning',
  blocked: 'danger',
  stopped: 'danger',
} as const;
const time = (at: string | null): string => (at === null ? '–' : formatDateTime(at));

function notesOf({ problem, quarantined, kept, runs_waiting, runs_lacking }: LinkStatus): string[] {
  const some = (count: number, words: (values: { count: number }) => string): string[] =>
    count > 0 ? [words({ count })] : [];
  return [
    ...(problem === null ? [] : [problem]),
    ...some(quarantined, (values) =>
      t(
        '{count, plural, one {# change} other {# changes}} set aside: a newer version is needed to apply it.',
        values,
      ),
    ),
    ...some(kept, (values) =>
      t('{count, plural, one {# change} other {# changes}} rejected by the hosted server.', values),
    ),
    ...some(runs_waiting, (values) =>
      t('{count, plural, one {# run} other {# runs}} whose content has not arrived yet.', values),
    ),
    ...some(runs_lacking, (values) =>
      t(
        '{count, plural, one {# run} other {# runs}} whose content is not on the hosted server.',
        values,
      ),
    ),
  ];
}

/**
 * What is synced with the hosted server, one line for each stream. Where the status leaves some
 * out, what is not in sync stands before the list of all.
 */
export function Streams({ links, count }: { links: readonly LinkStatus[]; count: number }) {
  return (
    <Section title={t('Synced data')}>
      {count === 0 ? (
        <p className="muted">{t('Nothing is shared yet.')}</p>
      ) : count === links.length ? (
        <LinkTable caption={t('Synced data')} links={links} />
      ) : (
        <ManyStreams apart={links.filter(({ state }) => state !== 'equal')} />
      )}
    </Section>
  );
}

function ManyStreams({ apart }: { apart: readonly LinkStatus[] }) {
  const list = useLinks();
  return (
    <>
      {apart.length > 0 && <LinkTable caption={t('Not in sync')} links={apart} isTitled />}
      <Loaded query={list} what={t('synced data')}>
        {(links) => (
          <>
            <LinkTable caption={t('Synced data')} links={links} isTitled={apart.length > 0} />
            <ListPager list={list} what={t('lines')} />
          </>
        )}
      </Loaded>
    </>
  );
}

interface LinkTableProps {
  caption: string;
  links: readonly LinkStatus[];
  isTitled?: boolean;
}

function LinkTable({ caption, links, isTitled = false }: LinkTableProps) {
  return (
    <Table
      caption={caption}
      showCaption={isTitled}
      dense
      head={
        <tr>
          <th scope="col">{t('What')}</th>
          <th scope="col">{t('State')}</th>
          <th scope="col" className="n">
            {t('Pending')}
          </th>
          <th scope="col">{t('Oldest')}</th>
          <th scope="col">{t('Last sync')}</th>
          <th scope="col">{t('Verified in sync')}</th>
          <th scope="col">{t('Notes')}</th>
        </tr>
      }
    >
      {links.map((link) => (
        <tr key={link.stream}>
          <th scope="row">
            {link.kind === 'profiles' ? KINDS.profiles : `${KINDS[link.kind]} ${link.title}`}
          </th>
          <td>
            <Badge tone={TONES[link.state]}>{WORDS[link.state]}</Badge>
          </td>
          <td className="n">{formatCount(link.waiting)}</td>
          <td className="nowrap num">{time(link.oldest)}</td>
          <td className="nowrap num">{time(link.last_ok)}</td>
          <td className="nowrap num">{time(link.verified_at)}</td>
          <td>{notesOf(link).join(' ') || '–'}</td>
        </tr>
      ))}
    </Table>
  );
}
