import { z } from 'zod';
import type { ProfileUid } from '../../../../shared/contract/ids.ts';
import { readStored, writeStored } from '../../../state/stored.ts';
import { FieldColumn } from './fields.ts';

const SuggestedField = FieldColumn.omit({ frozen: true });
export type SuggestedField = z.infer<typeof SuggestedField>;

const keyOf = (profileUid: ProfileUid): string => `evidence-studio.fields.${profileUid}`;

const fields = (type: SuggestedField['type'], ...keys: string[]): SuggestedField[] =>
  keys.map((key) => ({ key, type }));

/** What the profiles that come with the studio suggest. */
const OF_SHIPPED = new Map<string, readonly SuggestedField[]>([
  [
    'trio_rare_disease',
    [...fields('text', 'gene', 'HGVS c.', 'HGVS p.'), ...fields('number', 'allele frequency')],
  ],
  ['crispr_edit_evidence', [...fields('text', 'guide', 'batch'), ...fields('number', 'passage')]],
  ['wet_lab_assay_evidence', [...fields('text', 'batch'), ...fields('date', 'date')]],
  ['ai_answer_verification', fields('link', 'source')],
  ['general_claim_evidence', fields('link', 'source')],
]);

/**
 * The fields that items of a profile should have. What a person says of a profile is kept beside
 * its views: the profile's document stays as it is.
 */
export const loadSuggested = (profileUid: ProfileUid): SuggestedField[] =>
  readStored(keyOf(profileUid), z.array(SuggestedField)) ?? [...(OF_SHIPPED.get(profileUid) ?? [])];

export const saveSuggested = (
  profileUid: ProfileUid,
  suggested: readonly SuggestedField[],
): boolean => writeStored(keyOf(profileUid), suggested);
