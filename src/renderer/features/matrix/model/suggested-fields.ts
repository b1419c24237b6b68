import { z } from 'zod';
import type { ProfileUid } from '../../../../shared/contract/ids.ts';
import { readStored, writeStored } from '../../../state/stored.ts';
import { FieldColumn } from './fields.ts';

const SuggestedField = FieldColumn.omit({ frozen: true });
export type SuggestedField = z.infer<typeof SuggestedField>;

const keyOf = (profileUid: ProfileUid): string => `evidence-studio.fields.${profileUid}`;

/**
 * The fields that items of a profile should have, kept beside its views: the profile's document
 * stays as it is.
 */
export const loadSuggested = (profileUid: ProfileUid): SuggestedField[] =>
  readStored(keyOf(profileUid), z.array(SuggestedField)) ?? [];

export const saveSuggested = (profileUid: ProfileUid, fields: readonly SuggestedField[]): boolean =>
  writeStored(keyOf(profileUid), fields);
