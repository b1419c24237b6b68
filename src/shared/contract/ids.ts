import { z } from 'zod';

export { type CaseUid, known, type ProfileUid, type RunUid } from '../domain/uid.ts';

// Ids, each with a type of its own, so that none is passed where another is meant. A brand exists
// in types alone: it costs nothing at run time.

const identifier = (prefix: string) =>
  z
    .string()
    .regex(
      new RegExp(`^${prefix}_[0-9a-z]{1,64}$`),
      'Must be an identifier as the server gave it.',
    );

export const AccountId = identifier('acc').brand<'AccountId'>();
export type AccountId = z.infer<typeof AccountId>;
export const UserId = identifier('usr').brand<'UserId'>();
export type UserId = z.infer<typeof UserId>;
export const ProjectId = z
  .string()
  .regex(/^prj_[0-9a-z]{26}$/, 'Must be a project identifier as the service returned it.')
  .brand<'ProjectId'>();
export type ProjectId = z.infer<typeof ProjectId>;
export const KeyId = z
  .string()
  .regex(/^[0-9A-Za-z]{10}$/, 'Must be a key identifier of ten letters and digits.')
  .brand<'KeyId'>();
export type KeyId = z.infer<typeof KeyId>;
export const SessionId = identifier('ses');
export const InvitationId = identifier('inv');
export const SubscriptionId = identifier('sub');

/**
 * A log's name: a case_uid, one of the account's own streams, or what one recorder recorded in a
 * round of a case, `@layer/<case_uid>/<round_id>/<recorder>` (percent-encoded in a path).
 */
export const StreamName = z
  .string()
  .regex(
    /^(?:[A-Za-z0-9][A-Za-z0-9._:-]{0,127}|@profiles|@project\/prj_[0-9a-z]{26}|@layer\/[A-Za-z0-9][A-Za-z0-9._:-]{0,127}\/rnd_[A-Za-z0-9_-]{26}\/(?:usr_[0-9a-z]{1,64}|[0-9A-Za-z]{10}))$/,
    'Must be a case_uid, @profiles, @project/ and a project_id, or @layer/ and a case_uid, a round_id and a recorder.',
  )
  .brand<'StreamName'>();
export type StreamName = z.infer<typeof StreamName>;
