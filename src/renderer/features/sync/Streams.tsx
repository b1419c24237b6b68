import type { LinkStatus } from '../../../shared/contract/v1/uplink.ts';
import { formatCount, formatDateTime, plural } from '../../state/format.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Section } from '../../ui/Page.tsx';
import { Pager, usePager } from '../../ui/Pager.tsx';
import { Table } from '../../ui/Table.tsx';

const PAGE = 50;
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

/** What is synced with the hosted server, one line for each stream. */
export function Streams({ links }: { links: readonly LinkStatus[] }) {
  const pager = usePager(links.length, PAGE);
  return (
    <Section title="Synced data">
      {links.length === 0 ? (
        <p className="muted">Nothing is shared yet.</p>
      ) : (
        <>
          <Table
            caption="Synced data"
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
            {links.slice(pager.first, pager.end).map((link) => (
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
          <Pager pager={pager} what="lines" />
        </>
      )}
    </Section>
  );
}
