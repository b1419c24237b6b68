import { locale, t } from '../text/t.ts';

const TIME = new Intl.DateTimeFormat(locale(), { hour: '2-digit', minute: '2-digit' });
const DAY_TIME = new Intl.DateTimeFormat(locale(), {
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
    : t('{days} days', { days: Math.floor(minutes / (24 * 60)) });
}

/** The time of a moment; its day too where that is not the day of `now`. */
export function clockWords(at: number, now: number | undefined): string {
  return now === undefined || new Date(at).toDateString() === new Date(now).toDateString()
    ? TIME.format(at)
    : DAY_TIME.format(at);
}

export const oldestWords = (oldest: number | null, now: number | undefined): string | null => {
  if (oldest === null) return null;
  return now === undefined
    ? t('oldest from {time}', { time: TIME.format(oldest) })
    : t('oldest {age}', { age: ageWords(now - oldest) });
};
