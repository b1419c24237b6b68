import type { LinkStatus, UplinkStatus } from '../../shared/contract/v1/uplink.ts';
import { t } from '../text/t.ts';

/**
 * The second way: from this computer's server to the hosted one. Absent where nothing is
 * shared.
 */
export interface Beyond {
  /** The hosted server, as people call it. */
  host: string;
  /** When the hosted server was asked; the answer says nothing about what was saved later. */
  at: number;
  waiting: number;
  oldest: number | null;
  blocked: number;
  quarantined: number;
  verifiedAt: number | null;
  /** Runs whose content is not whole on both sides. */
  runs?: number;
  offline: boolean;
  /** This studio is not connected to it. */
  apart?: boolean;
  problem: string | null;
}

const ms = (time: string | null): number | null => (time === null ? null : Date.parse(time));
const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

/** Whether the status leaves this stream out, as there are more than it lists. */
export const isLeftOut = (status: UplinkStatus, stream: string): boolean =>
  status.totals.links > status.links.length &&
  !status.links.some((entry) => entry.stream === stream);

/**
 * Of all that is shared, or of one stream; null where nothing is shared and nothing is unsent.
 * `other`: that stream's, where the status leaves it out.
 */
export function beyondOf(
  status: UplinkStatus | undefined,
  at: number,
  stream?: string,
  other?: LinkStatus,
): Beyond | null {
  if (status === undefined) return null;
  const { connection } = status;
  if (connection === null) return stream === undefined ? unconnected(status, at) : null;
  const common = {
    host: hostOf(connection.url),
    at,
    offline: status.state === 'offline',
    problem: status.state === 'stopped' ? (status.problem ?? t('Sync has stopped.')) : null,
  };
  if (stream === undefined) return status.totals.links === 0 ? null : ofAll(status, common);
  const link = status.links.find((entry) => entry.stream === stream) ?? other;
  return link === undefined ? null : ofOne(link, common);
}

type HostedConnection = Pick<Beyond, 'host' | 'at' | 'offline' | 'problem'>;

/** What is on no hosted server, although its project was shared with one. */
function unconnected({ unsent, previous }: UplinkStatus, at: number): Beyond | null {
  if (unsent.changes === 0) return null;
  return {
    host: previous === null ? t('a hosted server') : hostOf(previous.url),
    at,
    waiting: unsent.changes,
    oldest: ms(unsent.oldest),
    blocked: 0,
    quarantined: 0,
    verifiedAt: null,
    offline: false,
    apart: true,
    problem: null,
  };
}

function ofAll({ totals, links }: UplinkStatus, common: HostedConnection): Beyond {
  const stopped = links.find((link) => link.state === 'stopped');
  const { runs } = totals;
  return {
    ...common,
    problem: common.problem ?? stopped?.problem ?? null,
    waiting: totals.waiting,
    oldest: ms(totals.oldest),
    blocked: totals.blocked,
    quarantined: totals.quarantined,
    runs,
    verifiedAt: runs > 0 ? null : ms(totals.verified_at),
  };
}

function ofOne(link: LinkStatus, common: HostedConnection): Beyond {
  const blocked = link.state === 'blocked' ? link.waiting : 0;
  const runs = link.runs_waiting + link.runs_lacking;
  return {
    ...common,
    problem: common.problem ?? link.problem,
    waiting: link.waiting - blocked,
    oldest: ms(link.oldest),
    blocked,
    quarantined: link.quarantined,
    runs,
    verifiedAt: runs > 0 ? null : ms(link.verified_at),
  };
}
