import { t } from '../../../text/t.ts';
const SHAPE = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/;

/**
 * Why a text is no date of a source, or undefined. A year or a month alone will do; 02/03/2024
 * would be two dates.
 */
export function dateProblem(text: string): string | undefined {
  const plain = text.trim();
  if (plain === '') return undefined;
  const match = SHAPE.exec(plain);
  if (match === null) return t('Write YYYY-MM-DD, YYYY-MM or YYYY.');
  const [year, month, day] = [Number(match[1]), Number(match[2] ?? 1), Number(match[3] ?? 1)];
  const date = new Date(Date.UTC(year, month - 1, day));
  date.setUTCFullYear(year);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && year > 0
    ? undefined
    : t('There is no such day.');
}
