import { z } from 'zod';
import { UserId } from '../contract/ids.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import { ContentHash } from './run-record.ts';
import { CaseUid, RunUid } from './uid.ts';

/**
 * Sign-off: the stage of a case, and people's signatures on its runs (chapter Z of
 * src/sync/SPEC.md).
 */

/** `amended`: it was approved, and is worked on again. */
export const CASE_STAGES = ['in_progress', 'in_review', 'approved', 'amended'] as const;
export const CaseStage = z.enum(CASE_STAGES);
export type CaseStage = z.infer<typeof CaseStage>;

/** Where a case may go from each stage. */
export const NEXT_STAGES: Readonly<Record<CaseStage, readonly CaseStage[]>> = {
  in_progress: ['in_review'],
  in_review: ['approved', 'in_progress'],
  approved: ['amended'],
  amended: ['in_review'],
};

/** Approving a case, and opening it again, is for owners of the account. */
export const isForOwners = (stage: CaseStage): boolean =>
  stage === 'approved' || stage === 'amended';

/** The run that an approval is of. */
export const ApprovedRun = z.strictObject({ run_uid: RunUid, content_hash: ContentHash });
export type ApprovedRun = z.infer<typeof ApprovedRun>;

/** What somebody states who signs a run. */
export const MEANINGS = [
  'authorship',
  'review',
  'approval',
  'disapproval',
  'responsibility',
] as const;
export const SignatureMeaning = z.enum(MEANINGS);
export type SignatureMeaning = z.infer<typeof SignatureMeaning>;

export const STATEMENT_FORMAT = 'evidence-studio-signature-1';

/**
 * What a signature is over: its canonical JSON is the file that `minisign -V` checks. `items_root`
 * is the root over the run's items (`run-proof.ts`). `confirmed_by`: the password, asked for this
 * one signature; or, on one's own computer, where nobody has a password, that computer's account.
 */
export const SignedStatement = z.strictObject({
  format: z.literal(STATEMENT_FORMAT),
  case_uid: CaseUid,
  run_uid: RunUid,
  content_hash: ContentHash,
  items_root: z.string().regex(/^[0-9a-f]{64}$/),
  meaning: SignatureMeaning,
  signer: z.strictObject({ user_id: UserId, name: z.string().min(1).max(200) }),
  signed_at: z.iso.datetime(),
  confirmed_by: z.enum(['password', 'computer_account']),
});
export type SignedStatement = z.infer<typeof SignedStatement>;

/**
 * A signature as it is kept: the statement's bytes, the `.minisig` file over them, the public key.
 */
export const RunSignature = z.strictObject({
  statement: z.string().min(2).max(4_000),
  signature: z.string().min(1).max(2_000),
  public_key: z.string().regex(/^RW[A-Za-z0-9+/]{54}$/),
});
export type RunSignature = z.infer<typeof RunSignature>;

/**
 * What a time-stamp is over, as a file: the statement, the signature and the key together, so that
 * it covers what the signature covers, and the signature.
 */
export const stampedText = ({ statement, signature, public_key }: RunSignature): string =>
  canonicalJson({ statement, signature, public_key });

/**
 * A time-stamp by an authority (RFC 3161). `covers`: the SHA-256 of the file it is over. `token`:
 * the whole token as it came, DER in base64.
 */
export const TimeStamp = z.strictObject({
  covers: z.string().regex(/^[0-9a-f]{64}$/),
  token: z.base64().min(4).max(65_536),
});
export type TimeStamp = z.infer<typeof TimeStamp>;

/**
 * What is found of the time of a signature. `stated`: by the server that signed, with no proof from
 * elsewhere. `waiting`: an authority is still to be asked; `given_up`: its answers were refused.
 * `confirmed`: a time-stamp of an authority that is trusted here; `another_authority`: of one that
 * is not known; `invalid`: what came with it is no time-stamp on this signature.
 */
export const SIGNATURE_TIMES = [
  'stated',
  'waiting',
  'given_up',
  'confirmed',
  'another_authority',
  'invalid',
] as const;
export const SignatureTime = z.enum(SIGNATURE_TIMES);
export type SignatureTime = z.infer<typeof SignatureTime>;

/** The statement of a signature; undefined where the text is no canonical one. */
export function statementOf({ statement }: Pick<RunSignature, 'statement'>) {
  let read: unknown;
  try {
    read = JSON.parse(statement);
  } catch {
    return undefined;
  }
  const { data } = SignedStatement.safeParse(read);
  return data !== undefined && canonicalJson(data) === statement ? data : undefined;
}
