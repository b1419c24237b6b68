import { z } from 'zod';
import { ContentHash } from '../../domain/run-record.ts';
import { CaseUid, ProfileUid, ProfileVersion } from '../../domain/uid.ts';
import { list, None, text, DryRun } from '../common.ts';
import { BODY_LIMIT, endpoint } from '../endpoint.ts';
import { ContestedHead } from './contested.ts';
import { ProfileEntry } from './profiles.ts';
import { known } from '../ids.ts';

/**
 * A document that needs an owner's decision. `shipped_name`, `name_of_another`: it stands under a
 * name that is not the account's, from before names had owners. `several_documents`: others stand
 * under the same version.
 */
export const ProfileCollision = z.strictObject({
  profileUid: known.profileUid,
  version: z.string(),
  digest: z.string(),
  name: z.string(),
  kind: z.enum(['shipped_name', 'name_of_another', 'several_documents']),
  /** False for a document of another account that cases of this one use. */
  own: z.boolean(),
  /** Cases of the account whose matrix is of this document. */
  cases: z.int(),
  /**
   * What was decided: `keep` it beside what the name means, `hide` it from the lists, `take` it for
   * what the version means, or `other`: another one was taken.
   */
  decision: z.enum(['keep', 'hide', 'take', 'other']).nullable(),
});
export type ProfileCollision = z.infer<typeof ProfileCollision>;

export const listProfileCollisions = endpoint({
  id: 'listProfileCollisions',
  summary:
    'Profile documents that need a decision: under a name of somebody else, or several under one version',
  tag: 'Profiles',
  method: 'GET',
  path: '/api/v1/profile-collisions',
  access: 'read',
  params: None,
  query: None,
  response: list(ProfileCollision),
  success: [200],
  errors: [],
});

const named = { profile_uid: ProfileUid, profile_version: ProfileVersion };
export const CollisionDecision = z.strictObject({
  ...named,
  digest: ContentHash,
  decision: z.enum(['keep', 'hide', 'take']),
  reason: text(2_000, 1),
});
export type CollisionDecision = z.infer<typeof CollisionDecision>;

export const decideProfileCollision = endpoint({
  id: 'decideProfileCollision',
  summary: 'Decide about such a document; no case that uses one is changed. For owners',
  tag: 'Profiles',
  method: 'POST',
  path: '/api/v1/profile-collisions',
  access: 'session',
  role: 'owner',
  params: None,
  query: DryRun,
  body: CollisionDecision,
  bodyLimit: BODY_LIMIT,
  response: z.strictObject({
    ...named,
    digest: z.string(),
    decision: z.enum(['keep', 'hide', 'take']),
  }),
  success: [200],
  errors: ['not_found'],
});

const caseParams = z.strictObject({ caseUid: CaseUid });

/** Which document the matrix of a case is of. */
export const CaseDocument = z.strictObject({
  ...named,
  /** The document that is shown; null where it is named and has not come here yet. */
  digest: z.string().nullable(),
  /**
   * `named`: the case's log names it. `fallback`: it names none, and one alone is known.
   * `undecided`: it names none, and several are known. `contested`: people named different ones.
   * `missing`: the named one has not come here. While it is undecided or contested nothing can be
   * recorded or frozen.
   */
  state: z.enum(['named', 'fallback', 'undecided', 'contested', 'missing']),
  /** What the log says, displayed first. */
  heads: z.array(ContestedHead),
  /** The documents that are known under this version. */
  documents: z.array(ProfileEntry),
});
export type CaseDocument = z.infer<typeof CaseDocument>;

export const getCaseDocument = endpoint({
  id: 'getCaseDocument',
  summary: 'Which document the matrix of a case is of, and which others stand under that version',
  tag: 'Cases',
  method: 'GET',
  path: '/api/v1/cases/{caseUid}/document',
  access: 'read',
  params: caseParams,
  query: z.strictObject({ profile_uid: ProfileUid, profile_version: ProfileVersion.optional() }),
  response: CaseDocument,
  success: [200],
  errors: ['not_found'],
});

/**
 * `heads` are those that were shown to the person. If others have arrived since, nothing is
 * settled.
 */
export const DocumentSettling = z.strictObject({
  ...named,
  digest: ContentHash,
  heads: z.array(z.string().max(64)).max(1_000),
  reason: text(10_000, 1),
});
export type DocumentSettling = z.infer<typeof DocumentSettling>;

export const settleCaseDocument = endpoint({
  id: 'settleCaseDocument',
  summary: 'Settle which document the matrix of a case is of, for a reason',
  tag: 'Cases',
  method: 'POST',
  path: '/api/v1/cases/{caseUid}/document',
  access: 'session',
  params: caseParams,
  query: DryRun,
  body: DocumentSettling,
  bodyLimit: BODY_LIMIT,
  response: z.strictObject({ ...named, digest: z.string() }),
  success: [200],
  errors: ['not_found', 'conflict', 'case_approved'],
});
