import { z } from 'zod';
import { None, text, Timestamp } from '../common.ts';
import { BODY_LIMIT, endpoint } from '../endpoint.ts';
import { AccountId, InvitationId, known, SessionId, UserId } from '../ids.ts';
import { Account, Role, Session } from './account.ts';

const MAX_NAME = 100;
export const PersonName = text(MAX_NAME, 1);
export const TeamName = text(MAX_NAME, 1);

/**
 * Only the length is checked here; the server also refuses passwords that are easily guessed. In
 * code points.
 */
export const MIN_PASSWORD = 12;
export const MAX_PASSWORD = 256;
export const NewPassword = text(MAX_PASSWORD).refine(
  (value) => [...value].length >= MIN_PASSWORD,
  `Must have at least ${MIN_PASSWORD} characters.`,
);
/**
 * A password that is compared with the stored one. It is not refused for its length before that.
 */
const GivenPassword = text(MAX_PASSWORD);

/** An address is only a name to sign in with (nothing is sent to it), so this check is enough. */
export const Email = text(254, 3)
  .transform((value) => value.trim().normalize('NFC').toLowerCase())
  .refine((value) => /^[^\s@]+@[^\s@]+$/.test(value), 'Must be an e-mail address.');

/**
 * Until when keys may be created and members changed without the password; null where accounts have
 * no passwords.
 */
const Confirmed = z.strictObject({ confirmed_until: Timestamp.nullable() });

export const switchAccount = endpoint({
  id: 'switchAccount',
  summary: 'Go on in another account of this person',
  tag: 'Team',
  method: 'PUT',
  path: '/api/v1/session',
  access: 'session',
  role: 'viewer',
  params: None,
  query: None,
  body: z.strictObject({ account_id: AccountId }),
  bodyLimit: BODY_LIMIT,
  response: Session,
  success: [200],
  errors: ['not_found'],
});

export const confirmSession = endpoint({
  id: 'confirmSession',
  summary:
    'Give the password again, for fifteen minutes in which keys may be created and members changed',
  tag: 'Team',
  method: 'POST',
  path: '/api/v1/session/confirm',
  access: 'session',
  role: 'viewer',
  params: None,
  query: None,
  body: z.strictObject({ password: GivenPassword }),
  bodyLimit: BODY_LIMIT,
  response: Confirmed,
  success: [200],
  errors: ['wrong_password', 'rate_limited'],
});

export const Member = z.strictObject({
  user_id: known.userId,
  name: z.string(),
  email: z.string().nullable(),
  role: Role,
  joined_at: Timestamp,
  last_seen_at: Timestamp.nullable(),
});
export type Member = z.infer<typeof Member>;

export const Invitation = z.strictObject({
  invitation_id: z.string(),
  role: Role,
  /** Whom it was made for, in the inviter's words. */
  name: z.string().nullable(),
  /** Name of the person who made it; null for the operator of the server. */
  created_by: z.string().nullable(),
  created_at: Timestamp,
  expires_at: Timestamp,
});
export type Invitation = z.infer<typeof Invitation>;

const Members = z.strictObject({ members: z.array(Member), invitations: z.array(Invitation) });

export const listMembers = endpoint({
  id: 'listMembers',
  summary: 'Members of the account and, for its owners, invitations that nobody has taken yet',
  tag: 'Team',
  method: 'GET',
  path: '/api/v1/members',
  access: 'session',
  params: None,
  query: None,
  response: Members,
  success: [200],
  errors: [],
});

export const changeMember = endpoint({
  id: 'changeMember',
  summary: 'Give a member another role',
  tag: 'Team',
  method: 'PUT',
  path: '/api/v1/members/{userId}',
  access: 'session',
  role: 'owner',
  params: z.strictObject({ userId: UserId }),
  query: None,
  body: z.strictObject({ role: Role }),
  bodyLimit: BODY_LIMIT,
  response: Member,
  success: [200],
  errors: ['not_found', 'conflict', 'password_needed'],
});

export const removeMember = endpoint({
  id: 'removeMember',
  summary: 'Take a member out of the account; keys and sessions that this member has in it end',
  tag: 'Team',
  method: 'DELETE',
  path: '/api/v1/members/{userId}',
  access: 'session',
  role: 'owner',
  params: z.strictObject({ userId: UserId }),
  query: None,
  response: Member,
  success: [200],
  errors: ['not_found', 'conflict', 'password_needed'],
});

export const createInvitation = endpoint({
  id: 'createInvitation',
  summary:
    'Invite somebody by a link that can be used once; it is shown in this answer and never again',
  tag: 'Team',
  method: 'POST',
  path: '/api/v1/invitations',
  access: 'session',
  role: 'owner',
  params: None,
  query: None,
  body: z.strictObject({ role: Role, name: PersonName.optional() }),
  bodyLimit: BODY_LIMIT,
  response: z.strictObject({ invitation: Invitation, url: z.string() }),
  success: [201],
  errors: ['conflict', 'password_needed'],
});

export const withdrawInvitation = endpoint({
  id: 'withdrawInvitation',
  summary: 'Withdraw an invitation: its link no longer works',
  tag: 'Team',
  method: 'DELETE',
  path: '/api/v1/invitations/{invitationId}',
  access: 'session',
  role: 'owner',
  params: z.strictObject({ invitationId: InvitationId }),
  query: None,
  response: Invitation,
  success: [200],
  errors: ['not_found'],
});

export const BrowserSession = z.strictObject({
  session_id: z.string(),
  current: z.boolean(),
  created_at: Timestamp,
  last_seen_at: Timestamp,
  expires_at: Timestamp,
  address: z.string(),
  /** "Firefox on Linux", as far as the browser tells. */
  browser: z.string(),
});
export type BrowserSession = z.infer<typeof BrowserSession>;

export const listSessions = endpoint({
  id: 'listSessions',
  summary: 'Browsers in which this person is signed in',
  tag: 'Team',
  method: 'GET',
  path: '/api/v1/sessions',
  access: 'session',
  params: None,
  query: None,
  response: z.strictObject({ sessions: z.array(BrowserSession) }),
  success: [200],
  errors: [],
});

export const endSession = endpoint({
  id: 'endSession',
  summary: 'Sign one browser of this person out',
  tag: 'Team',
  method: 'DELETE',
  path: '/api/v1/sessions/{sessionId}',
  access: 'session',
  role: 'viewer',
  params: z.strictObject({ sessionId: SessionId }),
  query: None,
  response: z.strictObject({ ended: z.int() }),
  success: [200],
  errors: ['not_found'],
});

export const dismissTriedPasswords = endpoint({
  id: 'dismissTriedPasswords',
  summary: 'Dismiss the notice of wrong passwords that were tried for this person',
  tag: 'Team',
  method: 'DELETE',
  path: '/api/v1/session/tried-passwords',
  access: 'session',
  role: 'viewer',
  params: None,
  query: None,
  response: z.strictObject({ dismissed: z.boolean() }),
  success: [200],
  errors: [],
});

export const endOtherSessions = endpoint({
  id: 'endOtherSessions',
  summary: 'Sign every other browser of this person out',
  tag: 'Team',
  method: 'DELETE',
  path: '/api/v1/sessions',
  access: 'session',
  role: 'viewer',
  params: None,
  query: None,
  response: z.strictObject({ ended: z.int() }),
  success: [200],
  errors: [],
});

export const changePassword = endpoint({
  id: 'changePassword',
  summary: 'Change the password; every other browser of this person is signed out',
  tag: 'Team',
  method: 'PUT',
  path: '/api/v1/password',
  access: 'session',
  role: 'viewer',
  params: None,
  query: None,
  body: z.strictObject({ current: GivenPassword, next: NewPassword }),
  bodyLimit: BODY_LIMIT,
  response: Confirmed,
  success: [200],
  errors: ['conflict', 'wrong_password', 'rate_limited'],
});

export const createAccount = endpoint({
  id: 'createAccount',
  summary: 'Create a further account with this person as its owner',
  tag: 'Team',
  method: 'POST',
  path: '/api/v1/accounts',
  access: 'session',
  role: 'viewer',
  params: None,
  query: None,
  body: z.strictObject({ name: TeamName }),
  bodyLimit: BODY_LIMIT,
  response: Account,
  success: [201],
  errors: ['conflict', 'password_needed', 'operator_only'],
});

export const renameAccount = endpoint({
  id: 'renameAccount',
  summary: 'Rename the account',
  tag: 'Team',
  method: 'PUT',
  path: '/api/v1/account',
  access: 'session',
  role: 'owner',
  params: None,
  query: None,
  body: z.strictObject({ name: TeamName }),
  bodyLimit: BODY_LIMIT,
  response: Account,
  success: [200],
  errors: [],
});
