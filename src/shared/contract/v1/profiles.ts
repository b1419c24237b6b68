import { z } from 'zod';
import { ProfileDocument, PublishedProfile } from '../../domain/profile.ts';
import { ContentHash } from '../../domain/run-record.ts';
import { ProfileUid, ProfileVersion } from '../../domain/uid.ts';
import { list, None, order, paging, searchIn, text, DryRun } from '../common.ts';
import { BODY_LIMIT, endpoint } from '../endpoint.ts';
import { known } from '../ids.ts';

export const ProfileEntry = z.strictObject({
  profileUid: known.profileUid,
  name: z.string(),
  version: z.string(),
  visibility: z.enum(['community', 'private']),
  domain: z.string(),
  standard: z.literal('SGA-QEM-1.0'),
  standardVersion: z.literal('1.0'),
  description: z.string(),
  scope: z.string(),
  maintainer: z.string(),
  rule_count: z.int(),
  /** `sha256:` + hex over the canonical JSON of the document. */
  digest: z.string(),
  access: z.enum(['public', 'community', 'private']),
  /**
   * True where several documents stand under this version and nobody has settled which of them it
   * is.
   */
  contested: z.literal(true).optional(),
  /**
   * True where the name or the version means another document. Cases that name this one keep it.
   */
  set_aside: z.literal(true).optional(),
  /** True where the account has retired the profile: it is not offered for new cases. */
  retired: z.literal(true).optional(),
  /** Where the newest versions alone are listed: how many older ones there are. */
  older_versions: z.int().min(0).optional(),
});
export type ProfileEntry = z.infer<typeof ProfileEntry>;

/** `created`: in the order in which this server received them. */
export const ProfileSort = z.enum(['created', 'name']);
export type ProfileSort = z.infer<typeof ProfileSort>;

export const listProfiles = endpoint({
  id: 'listProfiles',
  summary: 'List visible profiles, every version; both documents where two stand under one',
  tag: 'Profiles',
  method: 'GET',
  path: '/api/v1/profiles',
  access: 'read',
  params: None,
  query: z.strictObject({
    ...paging,
    ...order,
    ...searchIn('name, profileUid or description'),
    sort: ProfileSort.optional(),
    profile_uid: ProfileUid.optional(),
    versions: z
      .enum(['all', 'newest'])
      .describe('newest: one entry a profile, of its newest version.')
      .optional(),
    domain: text(200, 1).optional(),
    access: ProfileEntry.shape.access.optional(),
    state: z.enum(['active', 'retired']).describe('Only these; all if not said.').optional(),
  }),
  response: list(ProfileEntry),
  success: [200],
  errors: [],
});

export const getProfile = endpoint({
  id: 'getProfile',
  summary: 'Retrieve a profile document with its rules (the newest version unless one is named)',
  tag: 'Profiles',
  method: 'GET',
  path: '/api/v1/profiles/{profileUid}',
  access: 'read',
  params: z.strictObject({ profileUid: ProfileUid }),
  query: z.strictObject({
    profile_version: ProfileVersion.optional(),
    digest: ContentHash.describe('Of several documents under one version: which.').optional(),
  }),
  response: ProfileDocument,
  success: [200],
  errors: ['not_found'],
});

export const createProfile = endpoint({
  id: 'createProfile',
  summary:
    'Create a profile, or a new version of one; one for the community is published by an ' +
    'owner, in a session, where the server leaves that to owners',
  tag: 'Profiles',
  method: 'POST',
  path: '/api/v1/profiles',
  access: 'write',
  params: None,
  query: DryRun,
  body: PublishedProfile,
  bodyLimit: BODY_LIMIT,
  response: ProfileDocument,
  success: [200, 201],
  errors: ['version_conflict', 'uid_taken', 'precondition_failed', 'operator_only'],
});
