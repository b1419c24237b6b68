const COUNT = new Intl.NumberFormat('en-GB');
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

/** "1 item", "12 items". */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** A share of one with a fixed number of digits: 0.53. */
export function formatShare(value: number, digits = 2): string {
  return value.toFixed(digits);
}

/** 0.95 as "95%", 0.999 as "99.9%", 0.025 as "2.5%", without the noise of binary fractions. */
export function formatPercent(share: number): string {
  return `${Number((share * 100).toFixed(4))}%`;
}

/** A word of an identifier for reading: `clinical_genetics` as "Clinical genetics". */
export function humanise(identifier: string): string {
  const words = identifier.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const DOMAIN_NAMES: Record<string, string> = {
  crispr: 'CRISPR',
  ai_verification: 'AI verification',
};

export function domainName(domain: string): string {
  return DOMAIN_NAMES[domain] ?? humanise(domain);
}
