import type { z } from 'zod';
import { locale, t, tOf } from '../../../text/t.ts';

type Issue = z.core.$ZodIssue;

export const FIELD_WORDS: Record<string, string> = {
  name: t('name'),
  profileUid: t('profile ID'),
  version: t('version'),
  visibility: t('visibility'),
  domain: t('domain'),
  standard: t('standard'),
  standardVersion: t('version of the standard'),
  description: t('description'),
  scope: t('scope'),
  maintainer: t('maintainer'),
  sourceUrl: t('source address'),
  rules: t('rules'),
  ruleOrder: t('order'),
  ruleUid: t('rule ID'),
  evidenceMeaning: t('meaning of FALSE'),
  problemMeaning: t('meaning of TRUE'),
  notAvailableMeaning: t('meaning of NA'),
};

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** A path of the profile document as a person says it: "Rule 3, meaning of NA". */
export function placeInWords(path: readonly PropertyKey[]): string {
  if (path.length === 0) return t('The document');
  const words = (part: PropertyKey): string => FIELD_WORDS[String(part)] ?? String(part);
  if (path[0] !== 'rules' || path[1] === undefined) return capital(words(path[0]!));
  const rule = t('Rule {place}', { place: Number(path[1]) + 1 });
  return path[2] === undefined ? rule : `${rule}, ${words(path[2])}`;
}

/**
 * Why a value was refused, in a sentence beside its field. Words of our own schemas
 * stay as they are.
 */
export function reasonOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined && issue.message.endsWith('received undefined')
        ? t('Is missing.')
        : t(
            'Must be {kind, select, string {text} array {a list} object {an object} int {a whole number} number {a number} other {{kind}}}.',
            { kind: issue.expected },
          );
    case 'invalid_value':
      return t('Must be {values}.', {
        values: new Intl.ListFormat(locale(), { type: 'disjunction' }).format(
          issue.values.map(String),
        ),
      });
    case 'unrecognized_keys':
      return t(
        '{count, plural, one {{fields} is no field of a profile.} other {{fields} are no fields of a profile.}}',
        {
          count: issue.keys.length,
          fields: issue.keys.map((key) => `"${key.slice(0, 60)}"`).join(', '),
        },
      );
    case 'too_small':
      return issue.origin === 'array'
        ? tOf(issue.message)
        : t('Must be at least {minimum}.', { minimum: String(issue.minimum) });
    default:
      return tOf(issue.message);
  }
}
