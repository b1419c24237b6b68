import type { Home } from '../../shared/contract/v1/account.ts';
import type { SaveStatus } from '../data/store/port.ts';
import { ageWords, clockWords, oldestWords } from './age-words.ts';
import type { Beyond } from './hosted-sync.ts';
import { t } from '../text/t.ts';

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
  /** The text says already when it was verified. */
  saysVerified: boolean;
}

/** A wait that is longer is worth words of its own. */
const BRIEF_MS = 5_000;
/** Unsent work that is older than this while the server answers is a fault. */
const LATE_MS = 600_000;
const withAge = (words: string, oldest: string | null): string =>
  oldest === null ? words : `${words}, ${oldest}`;
const notSent = (problem: string, words: string | null): string =>
  words === null ? problem : `${problem} ${words}`;
const isLate = (oldest: number | null, now: number | undefined): boolean =>
  oldest !== null && now !== undefined && now - oldest > LATE_MS;

type StatusLine = Pick<SyncStatus, 'text' | 'tone' | 'news'> &
  Partial<Pick<SyncStatus, 'saysVerified'>>;
const line = (tone: Tone, text: string, news = text): StatusLine => ({ tone, text, news });

/** Never says "saved" while anything is on its way. */
function firstHop(work: WindowWork, home: Home, now: number | undefined): StatusLine {
  const unsent = work.waiting + work.blocked;
  if (work.problem !== null)
    return line(
      'problem',
      notSent(
        work.problem,
        unsent === 0
          ? null
          : t('{unsent, plural, one {# change} other {# changes}} not sent.', { unsent }),
      ),
      work.problem,
    );
  if (work.blocked > 0)
    return line(
      'problem',
      t('{blocked, plural, one {# change} other {# changes}} set aside in this window, not sent.', {
        blocked: work.blocked,
      }),
      t('Changes are set aside in this window and not sent.'),
    );
  const oldest = oldestWords(work.oldest, now);
  if (work.waiting > 0) {
    if (work.connection === 'online') {
      if (isLate(work.oldest, now))
        return line(
          'problem',
          t(
            '{waiting, plural, one {# change} other {# changes}} pending for {age}, although the server answers.',
            { waiting: work.waiting, age: ageWords((now ?? 0) - (work.oldest ?? 0)) },
          ),
          t('Changes are pending for more than ten minutes, although the server answers.'),
        );
      if (work.oldest === null || now === undefined || now - work.oldest < BRIEF_MS)
        return line('busy', t('Saving…'));
    }
    return line(
      'waiting',
      withAge(
        t('{waiting, plural, one {# change} other {# changes}} pending', { waiting: work.waiting }),
        oldest,
      ),
      t('Changes are pending.'),
    );
  }
  if (work.connection === 'offline')
    return line('waiting', t('Offline, all changes saved'), t('Offline.'));
  return line('saved', savedWords(work, home, now), savedNews(home));
}

const savedNews = (home: Home): string =>
  home === 'hosted' ? t('Saved on the server.') : t('Saved on this computer.');

function savedWords({ savedAt }: WindowWork, home: Home, now: number | undefined): string {
  if (savedAt === null) return t('No changes yet');
  const time = clockWords(savedAt, now);
  return home === 'hosted'
    ? t('Saved on the server {time}', { time })
    : t('Saved on this computer {time}', { time });
}

/** What has not reached the hosted server yet. */
function pendingThere(
  { host, waiting, oldest, offline, apart }: Beyond,
  now: number | undefined,
): StatusLine {
  const words = withAge(
    t('{waiting, plural, one {# change} other {# changes}} pending for {host}', {
      waiting,
      host,
    }),
    oldestWords(oldest, now),
  );
  if (apart === true)
    return line(
      'waiting',
      `${words}; ${t('this studio is not connected')}`,
      t('Changes are pending for {host}: this studio is not connected.', { host }),
    );
  if (offline)
    return line(
      'waiting',
      `${words}; ${t('it cannot be reached')}`,
      t('Changes are pending for {host}, which cannot be reached.', { host }),
    );
  return isLate(oldest, now)
    ? line(
        'problem',
        `${words}, ${t('although it answers')}`,
        t('Changes are pending for {host} for more than ten minutes, although it answers.', {
          host,
        }),
      )
    : line('busy', words, t('Changes are being sent to {host}.', { host }));
}

function secondHop(beyond: Beyond, savedAt: number | null, now: number | undefined): StatusLine {
  const { host, at, waiting, problem, offline, verifiedAt, blocked, runs = 0 } = beyond;
  if (problem !== null)
    return line(
      'problem',
      notSent(
        `${host}: ${problem}`,
        waiting === 0
          ? null
          : t('{waiting, plural, one {# change} other {# changes}} not there.', { waiting }),
      ),
      `${host}: ${problem}`,
    );
  if (blocked > 0)
    return line(
      'problem',
      t('{blocked, plural, one {# change} other {# changes}} set aside here, not sent to {host}.', {
        blocked,
        host,
      }),
      t('Changes are set aside here and not sent to {host}.', { host }),
    );
  // The answer is from before the last save, so it says nothing about that.
  if (savedAt !== null && at < savedAt)
    return line('busy', t('Not yet known whether {host} has it', { host }));
  if (waiting > 0) return pendingThere(beyond, now);
  if (offline)
    return line(
      'waiting',
      t('{host} cannot be reached, all changes saved', { host }),
      t('{host} cannot be reached.', { host }),
    );
  if (runs > 0)
    return line(
      'waiting',
      t(
        'The content of {runs, plural, one {# run} other {# runs}} is not both here and at {host}',
        { runs, host },
      ),
      t('The content of a run is not both here and at {host}.', { host }),
    );
  const news = t('All changes saved at {host}.', { host });
  if (verifiedAt === null) return line('saved', t('All changes saved at {host}', { host }), news);
  const time = clockWords(verifiedAt, now);
  const text = t('In sync with {host}, verified {time}', { host, time });
  return { ...line('saved', text, news), saysVerified: true };
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
    saysVerified: lines.some(({ saysVerified }) => saysVerified === true),
  };
}

function oldestOf(work: WindowWork, beyond: Beyond | null): number | null {
  const pending = [work, ...(beyond === null ? [] : [beyond])].flatMap(({ waiting, oldest }) =>
    waiting > 0 && oldest !== null ? [oldest] : [],
  );
  return pending.length === 0 ? null : Math.min(...pending);
}

function figuresOf(work: WindowWork, beyond: Beyond | null, now: number | undefined): Figure[] {
  const conflicts = t('{count, plural, one {conflict} other {conflicts}}', { count: work.review });
  return [
    {
      id: 'storing',
      label: t('unsaved: not on this computer’s disk'),
      short: t('unsaved'),
      count: work.storing,
      note: null,
    },
    {
      id: 'waiting',
      label:
        beyond === null
          ? t('pending for the server')
          : t('pending for the server or {host}', { host: beyond.host }),
      short: t('pending'),
      count: work.waiting + (beyond?.waiting ?? 0),
      note: oldestWords(oldestOf(work, beyond), now),
    },
    { id: 'review', label: conflicts, short: conflicts, count: work.review, note: null },
    {
      id: 'blocked',
      label: t('set aside or rejected'),
      short: t('set aside'),
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
  const time = work.waiting === 0 ? clockOf(work.verifiedAt, now) : null;
  const hosted = beyond !== null && beyond.waiting === 0 ? clockOf(beyond.verifiedAt, now) : null;
  if (beyond === null || hosted === null)
    return time === null ? null : t('In sync, verified at {time}', { time });
  const { host } = beyond;
  return time === null
    ? t('In sync with {host} at {hosted}', { host, hosted })
    : t('In sync, verified at {time}, with {host} at {hosted}', { time, host, hosted });
}

const clockOf = (at: number | null, now: number | undefined): string | null =>
  at === null ? null : clockWords(at, now);
