import { locale, t, tAs } from '../text/t.ts';

const COUNT = new Intl.NumberFormat(locale());
const PERCENT = new Intl.NumberFormat(locale(), {
  style: 'unit',
  unit: 'percent',
  useGrouping: false,
  maximumFractionDigits: 4,
});
const POINT = COUNT.formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.';
const two = (value: number): string => String(value).padStart(2, '0');

/**
 * "2026-11-03" in the reader's time zone: one reading in every country, and columns that line up.
 */
export function formatDate(timestamp: string): string {
  const date = new Date(timestamp);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** "2026-11-03 14:05" in the reader's time zone. */
export function formatDateTime(timestamp: string): string {
  const date = new Date(timestamp);
  return `${formatDate(timestamp)} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

export function formatCount(value: number): string {
  return COUNT.format(value);
}

/** "1 item", "12 items", for texts that are English in every language. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** A share of one with a fixed number of digits: 0.53. */
export function formatShare(value: number, digits = 2): string {
  return value.toFixed(digits).replace('.', POINT);
}

/** 0.95 as "95%", 0.999 as "99.9%", 0.025 as "2.5%", without the noise of binary fractions. */
export function formatPercent(share: number): string {
  return PERCENT.format(Number((share * 100).toFixed(4)));
}

/** A word of an identifier for reading: `clinical_genetics` as "Clinical genetics". */
export function humanise(identifier: string): string {
  const words = identifier.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const DOMAIN_NAMES: Record<string, string> = {
  general: t('General'),
  clinical_genetics: t('Clinical genetics'),
  wet_lab: t('Wet lab'),
  crispr: 'CRISPR',
  ai_verification: t('AI verification'),
  other: tAs('domain', 'Other'),
};

export function domainName(domain: string): string {
  return DOMAIN_NAMES[domain] ?? humanise(domain);
}
