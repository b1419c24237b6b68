import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

export const FIELD_WORDS: Record<string, string> = {
  name: 'name',
  profileUid: 'profile ID',
  version: 'version',
  visibility: 'visibility',
  domain: 'domain',
  standard: 'standard',
  standardVersion: 'version of the standard',
  description: 'description',
  scope: 'scope',
  maintainer: 'maintainer',
  sourceUrl: 'source address',
  rules: 'rules',
  ruleOrder: 'order',
  ruleUid: 'rule ID',
  evidenceMeaning: 'meaning of FALSE',
  problemMeaning: 'meaning of TRUE',
  notAvailableMeaning: 'meaning of NA',
};

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** A path of the profile document as a person says it: "Rule 3, meaning of NA". */
export function placeInWords(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'The document';
  const words = (part: PropertyKey): string => FIELD_WORDS[String(part)] ?? String(part);
  if (path[0] !== 'rules' || path[1] === undefined) return capital(words(path[0]!));
  const rule = `Rule ${Number(path[1]) + 1}`;
  return path[2] === undefined ? rule : `${rule}, ${words(path[2])}`;
}

const KINDS: Record<string, string> = {
  string: 'text',
  array: 'a list',
  object: 'an object',
  int: 'a whole number',
  number: 'a number',
};

/**
 * Why a value was refused, in a sentence beside its field. Words of our own schemas
 * stay as they are.
 */
export function reasonOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined && issue.message.endsWith('received undefined')
        ? 'Is missing.'
        : `Must be ${KINDS[issue.expected] ?? issue.expected}.`;
    case 'invalid_value':
      return `Must be ${issue.values.map(String).join(' or ')}.`;
    case 'unrecognized_keys':
      return (
        `${issue.keys.map((key) => `"${key.slice(0, 60)}"`).join(', ')} ` +
        `${issue.keys.length === 1 ? 'is no field' : 'are no fields'} of a profile.`
      );
    case 'too_small':
      return issue.origin === 'array'
        ? issue.message
        : `Must be at least ${String(issue.minimum)}.`;
    default:
      return issue.message;
  }
}
