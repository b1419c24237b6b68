import type { Home } from '../../shared/contract/v1/account.ts';
import type { SaveStatus } from '../data/store/port.ts';
import { ageWords, clockWords, oldestWords } from './age-words.ts';
import { plural } from './format.ts';
import type { Beyond } from './hosted-sync.ts';

/** The first way: from this window to its server. */
export type WindowWork = Pick<
  SaveStatus,
  | 'storing'
  | 'waiting'
  | 'oldest'
  | 'review'
  | 'blocked'
  | 'quarantined'
  | 'savedAt'
  | 'verifiedAt'
  | 'connection'
  | 'problem'
> &
  Partial<Pick<SaveStatus, 'access'>>;

export type Tone = 'saved' | 'busy' | 'waiting' | 'problem';
export interface Figure {
  id: 'storing' | 'waiting' | 'review' | 'blocked';
  /** What the count is of, in the number that fits it. */
  label: string;
  /** The label where space is short. */
  short: string;
  count: number;
  /** The oldest's age. */
  note: string | null;
}
export interface SyncStatus {
  text: string;
  tone: Tone;
  /**
   * What is read out. Leaves out ages and counts, so that it changes only when something has
   * happened.
   */
  news: string;
  figures: Figure[];
  /** "In sync, verified at 09:14", with whom; null while it is not known. */
  verified: string | null;
}

/** A wait that is longer is worth words of its own. */
const BRIEF_MS = 5_000;
/** Unsent work that is older than this while the server answers is a fault. */
const LATE_MS = 600_000;
const after = (words: string | null): string => (words === null ? '' : `, ${words}`);
const isLate = (oldest: number | null, now: number | undefined): boolean =>
  oldest !== null && now !== undefined && now - oldest > LATE_MS;

type StatusLine = Pick<SyncStatus, 'text' | 'tone' | 'news'>;
const line = (tone: Tone, text: string, news = text): StatusLine => ({ tone, text, news });

/** Never says "saved" while anything is on its way. */
function firstHop(work: WindowWork, home: Home, now: number | undefined): StatusLine {
  const place = home === 'hosted' ? 'on the server' : 'on this computer';
  const unsent = work.waiting + work.blocked;
  if (work.problem !== null)
    return line(
      'problem',
      unsent === 0 ? work.problem : `${work.problem} ${plural(unsent, 'change')} not sent.`,
      work.problem,
    );
  if (work.blocked > 0)
    return line(
      'problem',
      `${plural(work.blocked, 'change')} set aside in this window, not sent.`,
      'Changes are set aside in this window and not sent.',
    );
  const oldest = oldestWords(work.oldest, now);
  if (work.waiting > 0) {
    if (work.connection === 'online') {
      if (isLate(work.oldest, now))
        return line(
          'problem',
          `${plural(work.waiting, 'change')} pending for ${ageWords((now ?? 0) - (work.oldest ?? 0))}, although the server answers.`,
          'Changes are pending for more than ten minutes, although the server answers.',
        );
      if (work.oldest === null || now === undefined || now - work.oldest < BRIEF_MS)
        return line('busy', 'Saving…');
    }
    return line(
      'waiting',
      `${plural(work.waiting, 'change')} pending${after(oldest)}`,
      'Changes are pending.',
    );
  }
  if (work.connection === 'offline')
    return line('waiting', 'Offline, all changes saved', 'Offline.');
  return line(
    'saved',
    work.savedAt === null ? 'No changes yet' : `Saved ${place} ${clockWords(work.savedAt, now)}`,
    `Saved ${place}.`,
  );
}

function secondHop(
  { host, at, waiting, oldest, problem, offline, apart, verifiedAt, blocked, runs = 0 }: Beyond,
  savedAt: number | null,
  now: number | undefined,
): StatusLine {
  if (problem !== null)
    return line(
      'problem',
      `${host}: ${problem}${waiting === 0 ? '' : ` ${plural(waiting, 'change')} not there.`}`,
      `${host}: ${problem}`,
    );
  if (blocked > 0)
    return line(
      'problem',
      `${plural(blocked, 'change')} set aside here, not sent to ${host}.`,
      `Changes are set aside here and not sent to ${host}.`,
    );
  // The answer is from before the last save, so it says nothing about that.
  if (savedAt !== null && at < savedAt) return line('busy', `Not yet known whether ${host} has it`);
  if (waiting > 0) {
    const words = `${plural(waiting, 'change')} pending for ${host}${after(oldestWords(oldest, now))}`;
    if (apart === true)
      return line(
        'waiting',
        `${words}; this studio is not connected`,
        `Changes are pending for ${host}: this studio is not connected.`,
      );
    if (offline)
      return line(
        'waiting',
        `${words}; it cannot be reached`,
        `Changes are pending for ${host}, which cannot be reached.`,
      );
    return isLate(oldest, now)
      ? line(
          'problem',
          `${words}, although it answers`,
          `Changes are pending for ${host} for more than ten minutes, although it answers.`,
        )
      : line('busy', words, `Changes are being sent to ${host}.`);
  }
  if (offline)
    return line(
      'waiting',
      `${host} cannot be reached, all changes saved`,
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
      ? `All changes saved at ${host}`
      : `In sync with ${host}, verified ${clockWords(verifiedAt, now)}`,
    `All changes saved at ${host}.`,
  );
}

const TONES: readonly Tone[] = ['saved', 'busy', 'waiting', 'problem'];

/** How far the work is saved and in sync, in words and four numbers. `now` undefined: no clock. */
export function syncStatusOf(
  work: WindowWork,
  { home, beyond, now }: { home: Home; beyond: Beyond | null; now: number | undefined },
): SyncStatus {
  const lines = [
    firstHop(work, home, now),
    ...(beyond === null ? [] : [secondHop(beyond, work.savedAt, now)]),
  ];
  const worst = Math.max(...lines.map(({ tone }) => TONES.indexOf(tone)));
  return {
    text: lines.map(({ text }) => text).join(' · '),
    news: lines.map(({ news }) => news).join(' '),
    tone: TONES[worst] ?? 'problem',
    figures: figuresOf(work, beyond, now),
    verified: verifiedWords(work, beyond, now),
  };
}

function oldestOf(work: WindowWork, beyond: Beyond | null): number | null {
  const pending = [work, ...(beyond === null ? [] : [beyond])].flatMap(({ waiting, oldest }) =>
    waiting > 0 && oldest !== null ? [oldest] : [],
  );
  return pending.length === 0 ? null : Math.min(...pending);
}

function figuresOf(work: WindowWork, beyond: Beyond | null, now: number | undefined): Figure[] {
  const conflicts = work.review === 1 ? 'conflict' : 'conflicts';
  return [
    {
      id: 'storing',
      label: 'unsaved: not on this computer’s disk',
      short: 'unsaved',
      count: work.storing,
      note: null,
    },
    {
      id: 'waiting',
      label:
        beyond === null ? 'pending for the server' : `pending for the server or ${beyond.host}`,
      short: 'pending',
      count: work.waiting + (beyond?.waiting ?? 0),
      note: oldestWords(oldestOf(work, beyond), now),
    },
    { id: 'review', label: conflicts, short: conflicts, count: work.review, note: null },
    {
      id: 'blocked',
      label: 'set aside or rejected',
      short: 'set aside',
      count:
        work.blocked +
        Math.max(work.quarantined, beyond?.quarantined ?? 0) +
        (beyond?.blocked ?? 0),
      note: null,
    },
  ];
}

function verifiedWords(
  work: WindowWork,
  beyond: Beyond | null,
  now: number | undefined,
): string | null {
  const local = work.waiting === 0 ? work.verifiedAt : null;
  const hosted = beyond !== null && beyond.waiting === 0 ? beyond.verifiedAt : null;
  const parts = [
    ...(local === null ? [] : [`verified at ${clockWords(local, now)}`]),
    ...(beyond === null || hosted === null
      ? []
      : [`with ${beyond.host} at ${clockWords(hosted, now)}`]),
  ];
  return parts.length === 0
    ? null
    : `In sync, ${parts.join(', ')}`.replace('sync, with', 'sync with');
}
