import type { CaseUid, ProfileUid } from '../../../../shared/contract/ids.ts';
import { z } from 'zod';
import { parseStored, readStored, writeStored } from '../../../state/stored.ts';

const PREFIX = 'evidence-studio.review.';

/**
 * What a person still has to look at after outcomes were carried to another version; kept on this
 * computer until it is dismissed.
 */
export const CarryReview = z.strictObject({
  form: z.literal(1),
  from: z.string(),
  copied: z.int().min(0),
  kept: z.int().min(0),
  contested: z.int().min(0),
  /** The carry was ended before all rows were looked at. */
  partial: z.boolean(),
  /**
   * Why the case could not be set to the new version, in words; null where it was, or where nobody
   * asked.
   */
  notTold: z.string().nullable(),
  rules: z.array(
    z.strictObject({
      rule: z.string(),
      name: z.string(),
      recorded: z.int().min(0),
      kind: z.enum(['changed', 'added']),
      done: z.boolean(),
    }),
  ),
});
export type CarryReview = z.infer<typeof CarryReview>;

export interface CarriedMatrix {
  caseUid: CaseUid;
  uid: ProfileUid;
  version: string;
}

const keyOf = ({ caseUid, uid, version }: CarriedMatrix): string =>
  `${PREFIX}${caseUid}/${uid}@${version}`;

export const parseReview = (text: string | null): CarryReview | undefined =>
  parseStored(text, CarryReview);

export const loadReview = (address: CarriedMatrix): CarryReview | undefined =>
  readStored(keyOf(address), CarryReview);

export const saveReview = (address: CarriedMatrix, review: CarryReview | undefined): void =>
  void writeStored(keyOf(address), review);
