import { t } from '../../../text/t.ts';
/**
 * The parts of a structured provenance that have a field of their own; other members are kept as
 * they are.
 */
export const PARTS = ['source', 'locator', 'method', 'date'] as const;
export type ProvenancePart = (typeof PARTS)[number];

export const PART_LABELS: Record<ProvenancePart, string> = {
  source: t('Source'),
  locator: t('Locator'),
  method: t('Method'),
  date: t('Date'),
};

export type Structured = Record<string, unknown>;

export function isStructured(value: unknown): value is Structured {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function partOf(value: unknown, part: ProvenancePart): string {
  if (!isStructured(value)) return part === 'source' && typeof value === 'string' ? value : '';
  const entry = value[part];
  return entry === undefined || entry === null
    ? ''
    : typeof entry === 'string'
      ? entry
      : JSON.stringify(entry);
}

/**
 * The provenance with its parts as edited: empty parts go, unknown members stay; null where nothing
 * is left.
 */
export function withParts(
  value: unknown,
  edited: Partial<Record<ProvenancePart, string>>,
): Structured | null {
  const next: Structured = isStructured(value)
    ? { ...value }
    : typeof value === 'string' && value !== ''
      ? { source: value }
      : {};
  for (const part of PARTS) {
    const text = edited[part];
    if (text === undefined || (isStructured(value) && text === partOf(value, part))) continue;
    if (text.trim() === '') delete next[part];
    else next[part] = text;
  }
  return Object.keys(next).length === 0 ? null : next;
}

export function otherMembers(value: unknown): [string, unknown][] {
  return isStructured(value)
    ? Object.entries(value).filter(([key]) => !(PARTS as readonly string[]).includes(key))
    : [];
}

/** A structure that is nothing but its source can be a text again without loss. */
export const isPlainSource = (value: unknown): boolean =>
  isStructured(value) && Object.keys(value).every((key) => key === 'source');
