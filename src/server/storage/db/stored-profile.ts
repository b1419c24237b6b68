import type { ProfileEntry } from '../../../shared/contract/v1/profiles.ts';
import type { ProfileDocument } from '../../../shared/domain/profile.ts';

/** A visible profile document with its columns in order. */
export interface StoredProfile {
  text: string;
  document: ProfileDocument;
  rules: readonly string[];
  entry: ProfileEntry;
}
