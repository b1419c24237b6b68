import type { LinkStatus } from '../../../shared/contract/v1/uplink.ts';
import { formatCount, formatDateTime, plural } from '../../state/format.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Section } from '../../ui/Page.tsx';
import { ListPager } from '../../ui/Pager.tsx';
import { Table } from '../../ui/Table.tsx';
import { useLinks } from './use-links.ts';

const KINDS: Record<LinkStatus['kind'], string> = {
  case: 'Case',
  project: 'Project',
  profiles: 'Profiles',
};
const WORDS: Record<LinkStatus['state'], string> = {
  equal: 'in sync',
  syncing: 'syncing',
  waiting: 'pending',
  blocked: 'set aside',
  stopped: 'stopped',
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
  const some = (count: number, what: string, words: string): string[] =>
    count > 0 ? [`${plural(count, what)} ${words}.`] : [];
  return [
    ...(problem === null ? [] : [problem]),
    ...some(quarantined, 'change', 'set aside: a newer version is needed to apply it'),
    ...some(kept, 'change', 'rejected by the hosted server'),
    ...some(runs_waiting, 'run', 'whose content has not arrived yet'),
    ...some(runs_lacking, 'run', 'whose content is not on the hosted server'),
  ];
}

/**
 * What is synced with the hosted server, one line for each stream. Where the status leaves some out,
 * what is not in sync stands before the list of all.
 */
export function Streams({ links, count }: { links: readonly LinkStatus[]; count: number }) {
  return (
    <Section title="Synced data">
      {count === 0 ? (
        <p className="muted">Nothing is shared yet.</p>
      ) : count === links.length ? (
        <LinkTable caption="Synced data" links={links} />
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
      {apart.length > 0 && <LinkTable caption="Not in sync" links={apart} isTitled />}
      <Loaded query={list} what="synced data">
        {(links) => (
          <>
            <LinkTable caption="Synced data" links={links} isTitled={apart.length > 0} />
            <ListPager list={list} what="lines" />
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
          <th scope="col">What</th>
          <th scope="col">State</th>
          <th scope="col" className="n">
            Pending
          </th>
          <th scope="col">Oldest</th>
          <th scope="col">Last sync</th>
          <th scope="col">Verified in sync</th>
          <th scope="col">Notes</th>
        </tr>
      }
    >
      {links.map((link) => (
        <tr key={link.stream}>
          <th scope="row">
            {link.kind === 'profiles' ? 'Profiles' : `${KINDS[link.kind]} ${link.title}`}
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
