import type { Alternative, Contest, MatrixSession, EntryAuthor } from '../../../data/store/port.ts';
import { provenanceText } from '../model/history-text.ts';
import { STATE_WORDS, stateKey } from '../model/states.ts';
import { authorOf } from './decide.ts';
import { t } from '../../../text/t.ts';

export const FIELD_WORDS: Record<Contest['field'], string> = {
  outcome: t('outcome'),
  notes: t('notes'),
  item_type: t('type'),
  label: t('label'),
  metadata: t('fields'),
  position: t('position'),
  x: t('whether it is part of the case'),
};

const FIELD_DIFFERS: Record<Contest['field'], string> = {
  outcome: t('outcome differs'),
  notes: t('notes differ'),
  item_type: t('type differs'),
  label: t('label differs'),
  metadata: t('fields differ'),
  position: t('position differs'),
  x: t('whether it is part of the case differs'),
};

export const KIND_WORDS: Record<Contest['kind'], string> = {
  value: t('outcomes differ'),
  source: t('sources differ'),
  notes: t('notes differ'),
  item: t('item differs'),
  removed: t('recorded after it was removed'),
};

export const whatDiffers = ({ kind, field }: Contest): string =>
  kind === 'item' ? FIELD_DIFFERS[field] : KIND_WORDS[kind];

export function whereOf(
  session: MatrixSession,
  { item, rule }: Contest,
): { item: string; label: string; rule: string | null } {
  const label = session.items[session.rowOf(item)]?.label ?? '';
  return {
    item,
    label: label === item ? '' : label,
    rule:
      rule === null
        ? null
        : (session.profile.rules.find(({ ruleUid }) => ruleUid === rule)?.name ?? rule),
  };
}

/** What a value says, in one line. */
export function valueText({ field, raw_outcome, notes, value }: Alternative): string {
  if (field === 'outcome') return STATE_WORDS[stateKey(raw_outcome)].full;
  if (field === 'notes') return notes ?? t('no notes');
  if (field === 'x')
    return (value as { deleted: boolean }).deleted ? t('removed') : t('part of the case');
  return field === 'metadata' ? provenanceText(value) || t('none') : String(value);
}

export interface ComparedLine {
  name: string;
  values: readonly string[];
  differs: boolean;
}

const line = (name: string, values: readonly string[]): ComparedLine => ({
  name,
  values,
  differs: new Set(values).size > 1,
});

/**
 * Notes of the cell beside each outcome: of several those of the same undo step, else of the same
 * author.
 */
function notesBeside(
  { entry: outcome }: Alternative,
  notes: readonly Alternative[],
  writers: ReadonlyMap<string, EntryAuthor>,
): string {
  if (notes.length < 2) return notes[0]?.notes ?? '';
  const change = (entry: string): string => entry.slice(0, entry.lastIndexOf('#'));
  const author = writers.get(outcome);
  const isSame = (entry: string): boolean => {
    const other = writers.get(entry);
    return author !== undefined && other !== undefined && authorOf(other) === authorOf(author);
  };
  const own =
    notes.find(({ entry }) => change(entry) === change(outcome)) ??
    notes.find(({ entry }) => isSame(entry));
  return own === undefined ? t('none by this author') : (own.notes ?? '');
}

/** The name of the line that holds the outcomes. */
export const OUTCOME_LINE = t('Outcome');

/** What is compared, line by line. */
export function linesOf(
  heads: readonly Alternative[],
  notes: readonly Alternative[],
  writers: ReadonlyMap<string, EntryAuthor>,
): ComparedLine[] {
  const [first] = heads;
  if (first?.field !== 'outcome')
    return [line(first?.field === 'notes' ? t('Notes') : t('Value'), heads.map(valueText))];
  return [
    line(OUTCOME_LINE, heads.map(valueText)),
    line(
      t('Reported value'),
      heads.map(({ source_value }) => source_value ?? ''),
    ),
    line(
      t('Provenance'),
      heads.map(({ provenance }) => provenanceText(provenance)),
    ),
    line(
      t('Notes'),
      heads.map((head) => notesBeside(head, notes, writers)),
    ),
  ];
}
