import type { Assertion } from '../../../sync/assertion.ts';
import { lacksCitation } from '../../../sync/layers/suggestions.ts';
import type { Suggestion } from '../../../sync/layers/values.ts';
import type { Register } from '../../../sync/register.ts';
import { StoreError } from '../db/errors.ts';

/** Whether a suggestion or an outcome shows nothing that it rests on. */
export function isUncited({ kind }: Register, value: unknown): boolean {
  if (kind === 'suggestion') return value !== null && lacksCitation(value as Suggestion);
  return (
    kind === 'assertion' &&
    (value as Assertion).raw_outcome !== null &&
    lacksCitation(value as Assertion)
  );
}

/** Throws citation_required with the places of these outcomes, where there are any. */
export function refuseUncitedOutcomes(places: readonly string[]): void {
  if (places.length === 0) return;
  const details = places.map((path) => ({
    path,
    code: 'citation_required',
    message: 'Give a source_value or a provenance.',
  }));
  throw new StoreError('citation_required', '', details);
}
