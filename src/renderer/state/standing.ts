import type { UplinkStatus } from '../../shared/contract/v1/uplink.ts';
import type { SaveStatus } from '../data/store/port.ts';
import { plural } from './format.ts';

export type Home = 'desktop' | 'local' | 'hosted';

/** The first way: from this window to its server. */
export type Work = Pick<
  SaveStatus,
  | 'storing'
  | 'waiting'
  | 'oldest'
  | 'review'
  | 'parked'
  | 'quarantined'
  | 'savedAt'
  | 'verifiedAt'
  | 'connection'
  | 'problem'
> &
  Partial<Pick<SaveStatus, 'access'>>;

/**
 * The second way: from this computer's server to the hosted one. Absent where nothing of this is
 * shared.
 */
export interface Beyond {
  /** The hosted server, as people call it. */
  host: string;
  /** When the hosted server was asked; the answer says nothing about what was saved later. */
  at: number;
  waiting: number;
  oldest: number | null;
  parked: number;
  quarantined: number;
  verifiedAt: number | null;
  /** Runs whose content is not whole on both sides. */
  runs?: number;
  offline: boolean;
  /** This studio is not connected to it now. */
  apart?: boolean;
  problem: string | null;
}

export type Tone = 'saved' | 'busy' | 'waiting' | 'problem';
export interface Figure {
  id: 'storing' | 'waiting' | 'review' | 'parked';
  label: string;
  /** The label where room is short. */
  short: string;
  count: number;
  /** The oldest's age. */
  note: string | null;
}
export interface Standing {
  text: string;
  tone: Tone;
  /**
   * What is read out. Leaves out ages and counts, so that it changes only when something has
   * happened.
   */
  news: string;
  figures: Figure[];
  /** "Verified equal at 09:14", with whom; null while it is not known. */
  verified: string | null;
}

/** A wait that is longer is worth words of its own. */
const BRIEF_MS = 5_000;
/** Unsent work that is older than this while the server answers is a fault. */
const LATE_MS = 600_000;
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY_TIME = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

export function ageWords(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1_000))} s`;
  if (minutes < 120) return `${minutes} min`;
  return minutes < 48 * 60
    ? `${Math.floor(minutes / 60)} h`
    : `${Math.floor(minutes / (24 * 60))} days`;
}

/** The time of a moment; its day too where that is not the day of `now`. */
export function clockWords(at: number, now: number | undefined): string {
  return now === undefined || new Date(at).toDateString() === new Date(now).toDateString()
    ? TIME.format(at)
    : DAY_TIME.format(at);
}

const oldestWords = (oldest: number | null, now: number | undefined): string | null => {
  if (oldest === null) return null;
  return now === undefined
    ? `oldest from ${TIME.format(oldest)}`
    : `oldest ${ageWords(now - oldest)}`;
};
const after = (words: string | null): string => (words === null ? '' : `, ${words}`);
const isLate = (oldest: number | null, now: number | undefined): boolean =>
  oldest !== null && now !== undefined && now - oldest > LATE_MS;

type Line = Pick<Standing, 'text' | 'tone' | 'news'>;
const line = (tone: Tone, text: string, news = text): Line => ({ tone, text, news });

/** Never says "saved" while anything is on its way. */
function firstHop(work: Work, home: Home, now: number | undefined): Line {
  const place = home === 'hosted' ? 'on the server' : 'on this computer';
  const unsent = work.waiting + work.parked;
  if (work.problem !== null)
    return line(
      'problem',
      unsent === 0 ? work.problem : `${work.problem} ${plural(unsent, 'change')} not saved.`,
      work.problem,
    );
  if (work.parked > 0)
    return line(
      'problem',
      `${plural(work.parked, 'change')} kept in this window, not sent.`,
      'Changes are kept in this window and not sent.',
    );
  const oldest = oldestWords(work.oldest, now);
  if (work.waiting > 0) {
    if (work.connection === 'online') {
      if (isLate(work.oldest, now))
        return line(
          'problem',
          `${plural(work.waiting, 'change')} not saved for ${ageWords((now ?? 0) - (work.oldest ?? 0))}, although the server answers.`,
          'Changes are not saved for more than ten minutes, although the server answers.',
        );
      if (work.oldest === null || now === undefined || now - work.oldest < BRIEF_MS)
        return line('busy', 'Saving…');
    }
    return line(
      'waiting',
      `Waiting for the server, ${plural(work.waiting, 'change')}${after(oldest)}`,
      'Changes wait for the server.',
    );
  }
  if (work.connection === 'offline') return line('waiting', 'Offline, nothing waiting', 'Offline.');
  return line(
    'saved',
    work.savedAt === null ? 'No changes yet' : `Saved ${place} ${clockWords(work.savedAt, now)}`,
    `Saved ${place}.`,
  );
}

function secondHop(
  { host, at, waiting, oldest, problem, offline, apart, verifiedAt, parked, runs = 0 }: Beyond,
  savedAt: number | null,
  now: number | undefined,
): Line {
  if (problem !== null)
    return line(
      'problem',
      `${host}: ${problem}${waiting === 0 ? '' : ` ${plural(waiting, 'change')} not there.`}`,
      `${host}: ${problem}`,
    );
  if (parked > 0)
    return line(
      'problem',
      `${plural(parked, 'change')} kept here, not sent to ${host}.`,
      `Changes are kept here and not sent to ${host}.`,
    );
  // The answer is from before the last save, so it says nothing about that.
  if (savedAt !== null && at < savedAt) return line('busy', `Not yet known whether ${host} has it`);
  if (waiting > 0) {
    const words = `${plural(waiting, 'change')} not at ${host} yet${after(oldestWords(oldest, now))}`;
    if (apart === true)
      return line(
        'waiting',
        `${words}; this studio is not connected`,
        `Changes wait for ${host}: this studio is not connected.`,
      );
    if (offline)
      return line(
        'waiting',
        `${words}; it cannot be reached`,
        `Changes wait for ${host}, which cannot be reached.`,
      );
    return isLate(oldest, now)
      ? line(
          'problem',
          `${words}, although it answers`,
          `Changes wait for ${host} for more than ten minutes, although it answers.`,
        )
      : line('busy', words, `Changes are being sent to ${host}.`);
  }
  if (offline)
    return line(
      'waiting',
      `${host} cannot be reached, nothing waiting`,
      `${host} cannot be reached.`,
    );
  if (runs > 0)
    return line(
      'waiting',
      `The content of ${plural(runs, 'run')} is not both here and at ${host}`,
      `The content of a run is not both here and at ${host}.`,
    );
  return line(
    'saved',
    verifiedAt === null
      ? `Nothing waiting for ${host}`
      : `Equal with ${host}, verified ${clockWords(verifiedAt, now)}`,
    `Nothing waiting for ${host}.`,
  );
}

const TONES: readonly Tone[] = ['saved', 'busy', 'waiting', 'problem'];

/**
 * Where the work stands on both ways, in words and four numbers. `now` undefined: no clock at hand.
 */
export function standingOf(
  work: Work,
  { home, beyond, now }: { home: Home; beyond: Beyond | null; now: number | undefined },
): Standing {
  const first = firstHop(work, home, now);
  const second = beyond === null ? null : secondHop(beyond, work.savedAt, now);
  const least = (a: number | null, b: number | null): number | null =>
    a === null ? b : b === null ? a : Math.min(a, b);
  const oldest = least(
    work.waiting > 0 ? work.oldest : null,
    beyond !== null && beyond.waiting > 0 ? beyond.oldest : null,
  );
  const equal = [
    work.waiting === 0 && work.verifiedAt !== null
      ? `Verified equal at ${clockWords(work.verifiedAt, now)}`
      : null,
    beyond !== null && beyond.verifiedAt !== null && beyond.waiting === 0
      ? `with ${beyond.host} at ${clockWords(beyond.verifiedAt, now)}`
      : null,
  ];
  return {
    text: [first.text, ...(second === null ? [] : [second.text])].join(' · '),
    news: [first.news, ...(second === null ? [] : [second.news])].join(' '),
    tone:
      TONES[
        Math.max(TONES.indexOf(first.tone), second === null ? 0 : TONES.indexOf(second.tone))
      ] ?? 'problem',
    figures: [
      {
        id: 'storing',
        label: 'not on this computer’s disk',
        short: 'not stored',
        count: work.storing,
        note: null,
      },
      {
        id: 'waiting',
        label:
          beyond === null ? 'waiting for the server' : `waiting for the server or ${beyond.host}`,
        short: 'waiting',
        count: work.waiting + (beyond?.waiting ?? 0),
        note: oldestWords(oldest, now),
      },
      { id: 'review', label: 'to review', short: 'to review', count: work.review, note: null },
      {
        id: 'parked',
        label: 'parked or quarantined',
        short: 'parked',
        count:
          work.parked +
          Math.max(work.quarantined, beyond?.quarantined ?? 0) +
          (beyond?.parked ?? 0),
        note: null,
      },
    ],
    verified: equal.every((words) => words === null)
      ? null
      : equal
          .filter((words) => words !== null)
          .join(', ')
          .replace(/^with/, 'Verified equal with'),
  };
}

const ms = (time: string | null): number | null => (time === null ? null : Date.parse(time));
const OFFLINE = new Set<UplinkStatus['state']>(['offline']);

/** The second way of all that is shared, or of one stream; null where there is none. */
export function beyondOf(
  status: UplinkStatus | undefined,
  at: number,
  stream?: string,
): Beyond | null {
  if (status === undefined) return null;
  if (status.connection === null) {
    const { changes, oldest } = status.unsent;
    if (changes === 0 || stream !== undefined) return null;
    const name =
      status.former === null
        ? 'a hosted server'
        : (URL.parse(status.former.url)?.host ?? status.former.url);
    return {
      host: name,
      at,
      waiting: changes,
      oldest: ms(oldest),
      parked: 0,
      quarantined: 0,
      verifiedAt: null,
      offline: false,
      apart: true,
      problem: null,
    };
  }
  const host = URL.parse(status.connection.url)?.host ?? status.connection.url;
  const common = {
    host,
    at,
    offline: OFFLINE.has(status.state),
    problem: status.state === 'stopped' ? (status.problem ?? 'The exchange has stopped.') : null,
  };
  if (stream === undefined) {
    if (status.links.length === 0) return null;
    const { totals, links } = status;
    const verified = links.map((link) => ms(link.verified_at));
    const stopped = links.find((link) => link.state === 'stopped');
    const runs = links.reduce((sum, link) => sum + link.runs_waiting + link.runs_lacking, 0);
    return {
      ...common,
      problem: common.problem ?? stopped?.problem ?? null,
      waiting: totals.waiting,
      oldest: ms(totals.oldest),
      parked: totals.parked,
      quarantined: totals.quarantined,
      runs,
      verifiedAt: verified.includes(null) || runs > 0 ? null : Math.min(...verified.map(Number)),
    };
  }
  const link = status.links.find((entry) => entry.stream === stream);
  if (link === undefined) return null;
  const parked = link.state === 'parked' ? link.waiting : 0;
  const runs = link.runs_waiting + link.runs_lacking;
  return {
    ...common,
    problem: common.problem ?? link.problem,
    waiting: link.waiting - parked,
    oldest: ms(link.oldest),
    parked,
    quarantined: link.quarantined,
    runs,
    verifiedAt: runs > 0 ? null : ms(link.verified_at),
  };
}
