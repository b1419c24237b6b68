import type { HistoryStep, RecordedBy } from '../../../../shared/contract/v1/evidence.ts';
import type { CellState } from '../../../../shared/domain/outcome.ts';
import type { CellPatch } from '../../../data/store/port.ts';
import { t, tAs } from '../../../text/t.ts';

export const AUTHOR_WORDS: Readonly<Record<HistoryStep['kind'], string>> = {
  human: '',
  agent: `, ${t('agent')}`,
  import: `, ${tAs('noun', 'import')}`,
};

interface AssertionParts {
  raw_outcome: CellState;
  source_value: string | null;
  provenance: unknown;
}

const isState = (value: unknown): value is CellState =>
  value === null || value === 'TRUE' || value === 'FALSE' || value === 'NA';

/**
 * A step's value as an assertion; a bare outcome is one without details. Undefined if it is of a
 * kind that this version does not know.
 */
function assertionOf(value: HistoryStep['new']): AssertionParts | undefined {
  if (isState(value)) return { raw_outcome: value, source_value: null, provenance: null };
  if (
    typeof value !== 'object' ||
    value === null ||
    Array.isArray(value) ||
    !isState(value['raw_outcome'])
  )
    return undefined;
  const source = value['source_value'];
  return {
    raw_outcome: value['raw_outcome'],
    source_value: typeof source === 'string' ? source : null,
    provenance: value['provenance'] ?? null,
  };
}

export const FACT_WORDS = {
  'Reported value': t('Reported value'),
  Provenance: t('Provenance'),
  Notes: t('Notes'),
};

export type Fact =
  | { kind: 'outcome'; from: CellState; to: CellState }
  | { kind: 'text'; what: keyof typeof FACT_WORDS; from: string; to: string };

export function provenanceText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return JSON.stringify(value);
  return Object.entries(value)
    .map(([key, entry]) => `${key}: ${typeof entry === 'string' ? entry : JSON.stringify(entry)}`)
    .join('; ');
}

/** What a step changed, part by part. */
export function factsOf(step: HistoryStep): Fact[] {
  if (step.field === 'notes')
    return [
      {
        kind: 'text',
        what: 'Notes',
        from: provenanceText(step.old),
        to: provenanceText(step.new),
      },
    ];
  const from = assertionOf(step.old);
  const to = assertionOf(step.new);
  if (from === undefined || to === undefined)
    return [
      {
        kind: 'text',
        what: 'Provenance',
        from: provenanceText(step.old),
        to: provenanceText(step.new),
      },
    ];
  const facts: Fact[] = [];
  if (from.raw_outcome !== to.raw_outcome)
    facts.push({ kind: 'outcome', from: from.raw_outcome, to: to.raw_outcome });
  if (from.source_value !== to.source_value)
    facts.push({
      kind: 'text',
      what: 'Reported value',
      from: from.source_value ?? '',
      to: to.source_value ?? '',
    });
  const [before, after] = [provenanceText(from.provenance), provenanceText(to.provenance)];
  if (before !== after) facts.push({ kind: 'text', what: 'Provenance', from: before, to: after });
  if (facts.length === 0)
    facts.push({ kind: 'outcome', from: from.raw_outcome, to: to.raw_outcome });
  return facts;
}

/** Whose an outcome is, in words: the name, what it is the name of, and who accepted it. */
export const whose = ({ kind, name, accepted_by }: RecordedBy): string =>
  `${name}${AUTHOR_WORDS[kind]}${accepted_by === undefined ? '' : `, ${t('accepted by {name}', { name: accepted_by })}`}`;

/** Whose the present outcome is; undefined where nothing is recorded, or it is not known. */
export function presentlyBy(steps: readonly HistoryStep[]): RecordedBy | undefined {
  const present = steps.find(({ field, current }) => field === 'outcome' && current);
  return present === undefined || assertionOf(present.new)?.raw_outcome === null
    ? undefined
    : present.recorded_by;
}

export type PreviousAssertion = AssertionParts & { step: HistoryStep | undefined };

/**
 * What was recorded before the present outcome, and the step that recorded it; undefined where
 * nothing was. `steps`: newest first.
 */
export function previousAssertion(steps: readonly HistoryStep[]): PreviousAssertion | undefined {
  const outcomes = steps.filter(({ field }) => field === 'outcome');
  const present = assertionOf(outcomes.find(({ current }) => current)?.new ?? null);
  if (present === undefined) return undefined;
  for (
    let at = outcomes.findIndex(({ current }) => current);
    at >= 0 && at < outcomes.length;
    at += 1
  ) {
    const old = assertionOf(outcomes[at]!.old);
    if (old === undefined) return undefined;
    if (old.raw_outcome === present.raw_outcome) continue;
    if (old.raw_outcome === null && old.source_value === null && old.provenance === null)
      return undefined;
    return {
      ...old,
      step: outcomes
        .slice(at + 1)
        .find((step) => assertionOf(step.new)?.raw_outcome === old.raw_outcome),
    };
  }
  return undefined;
}

/** What brings a step's value back, or undefined where its value is not understood. */
export function restorePatch(step: HistoryStep): CellPatch | undefined {
  if (step.field === 'notes')
    return step.new === null || typeof step.new === 'string' ? { notes: step.new } : undefined;
  return assertionOf(step.new);
}
