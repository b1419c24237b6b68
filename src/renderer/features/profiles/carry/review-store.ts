import { z } from 'zod';

const PREFIX = 'evidence-studio.review.';

/** What a person still has to look at after outcomes were carried to another version; kept on this computer until it is dismissed. */
export const Review = z.strictObject({
  form: z.literal(1),
  from: z.string(),
  copied: z.int().min(0),
  kept: z.int().min(0),
  contested: z.int().min(0),
  /** The carry was ended before all rows were looked at. */
  partial: z.boolean(),
  /** The case could not be told of its new version, in words; null where it was, or where nobody asked. */
  notTold: z.string().nullable(),
  rules: z.array(z.strictObject({ rule: z.string(), name: z.string(), recorded: z.int().min(0), kind: z.enum(['changed', 'added']), done: z.boolean() })),
});
export type Review = z.infer<typeof Review>;

export interface MatrixAddress {
  caseUid: string;
  uid: string;
  version: string;
}

const keyOf = ({ caseUid, uid, version }: MatrixAddress): string => `${PREFIX}${caseUid}/${uid}@${version}`;

export function parseReview(text: string | null): Review | undefined {
  try {
    const parsed = Review.safeParse(JSON.parse(text ?? ''));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Storage may be switched off in a browser: then the list is not kept. */
export function loadReview(address: MatrixAddress): Review | undefined {
  try {
    return parseReview(localStorage.getItem(keyOf(address)));
  } catch {
    return undefined;
  }
}

export function saveReview(address: MatrixAddress, review: Review | undefined): void {
  try {
    if (review === undefined) localStorage.removeItem(keyOf(address));
    else localStorage.setItem(keyOf(address), JSON.stringify(review));
  } catch {
    // not kept
  }
}
