import { OUTCOME_LABELS } from '../../../shared/domain/outcome.ts';
import type { JsonSchema } from '../shapes.ts';
import { ACCOUNT_MEANINGS } from './account.ts';
import { DISCUSSION_MEANINGS } from './discussion.ts';
import { EXCHANGE_MEANINGS } from './exchange.ts';
import { JUDGEMENT_MEANINGS } from './judgements.ts';
import { RECORD_MEANINGS } from './records.ts';

const MEANINGS: Readonly<Record<string, string>> = {
  ...DISCUSSION_MEANINGS,
  ...EXCHANGE_MEANINGS,
  ...ACCOUNT_MEANINGS,
  ...JUDGEMENT_MEANINGS,
  ...RECORD_MEANINGS,
};

/** Said wherever an outcome stands: a reader of one operation reads no other page. */
export const OUTCOME_MEANING =
  `TRUE: ${OUTCOME_LABELS.problem_found} (matrix value 0); ` +
  `FALSE: ${OUTCOME_LABELS.evidence_present} (1); NA: ${OUTCOME_LABELS.not_available} (0); ` +
  'null or left out: not recorded. Exactly these strings, never a JSON boolean.';

/** The outcomes as a schema; every place of one refers to it. */
export const RAW_OUTCOME: JsonSchema = {
  type: 'string',
  enum: ['TRUE', 'FALSE', 'NA'],
  description: OUTCOME_MEANING,
};

/** The meaning of a member, by the longest end of its path that has one. */
export function meaningOf(path: readonly string[]): string | undefined {
  for (let start = 0; start < path.length; start += 1) {
    const meaning = MEANINGS[path.slice(start).join('.')];
    if (meaning !== undefined) return meaning;
  }
  return undefined;
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether an outcome may stand here: alone, or null, or in a list. */
export function holdsOutcome(schema: JsonSchema): boolean {
  const inner = [schema['items'], ...((schema['anyOf'] ?? []) as unknown[])].filter(isSchema);
  return String(schema['$ref']).endsWith('/RawOutcome') || inner.some(holdsOutcome);
}

/** Gives every member of an object its meaning, where its schema does not say it already. */
export function describeMembers(schema: unknown, path: readonly string[]): void {
  if (Array.isArray(schema)) {
    for (const inner of schema) describeMembers(inner, path);
    return;
  }
  if (!isSchema(schema)) return;
  for (const [name, member] of Object.entries((schema['properties'] ?? {}) as JsonSchema)) {
    if (!isSchema(member)) continue;
    const own = [...path, name];
    const words = [
      member['description'] ?? meaningOf(own),
      holdsOutcome(member) && OUTCOME_MEANING,
    ];
    const said = words.filter((word) => typeof word === 'string');
    if (said.length > 0) member['description'] = said.join(' ');
    describeMembers(member, own);
  }
  for (const keyword of ['items', 'additionalProperties', 'anyOf', 'oneOf', 'allOf', 'prefixItems'])
    describeMembers(schema[keyword], path);
}
