import { z } from 'zod';
import { LongText, Provenance } from '../shared/contract/common.ts';
import { canonicalJson } from '../shared/lib/canonical-json.ts';
import type { SuggestionDecision } from './layers/values.ts';
import type { Register } from './register.ts';

/**
 * The value of a cell's assertion. It is written as a whole, so that one person's outcome is never
 * shown with another's source. Absent members are null.
 */
export const Assertion = z.strictObject({
  raw_outcome: z.enum(['TRUE', 'FALSE', 'NA']).nullable(),
  source_value: LongText.optional(),
  provenance: Provenance.optional(),
});
export type Assertion = z.infer<typeof Assertion>;

/**
 * What a head of a register says (V3): heads with equal content corroborate each other. Of an
 * assertion that is the outcome and its source, of an existence whether it is deleted, of a
 * decision what it is about and the verdict, of anything else the whole value. `value` is one that
 * was applied to the register.
 */
export function contentOf(register: Register, value: unknown): unknown {
  if (register.kind === 'assertion') {
    const { raw_outcome, source_value = null } = value as Assertion;
    return [raw_outcome, source_value];
  }
  if ('field' in register && register.field === 'x') return (value as { deleted: boolean }).deleted;
  if (register.kind === 'decision' && value !== null) {
    const { entry, verdict } = value as SuggestionDecision;
    return [entry, verdict];
  }
  return value ?? null;
}

/** `contentOf` as text, to find heads of equal content by. */
export const contentKey = (register: Register, value: unknown): string =>
  canonicalJson(contentOf(register, value));

/** Whether two heads of a register say the same (V3). */
export const sameContent = (register: Register, a: unknown, b: unknown): boolean =>
  a === b || contentKey(register, a) === contentKey(register, b);

/** `sameContent` of two assertions, without a text. */
export const sameAssertion = (a: Assertion, b: Assertion): boolean =>
  a.raw_outcome === b.raw_outcome && (a.source_value ?? null) === (b.source_value ?? null);
