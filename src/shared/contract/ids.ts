import { z } from 'zod';

// The names of things, each a type of its own, so that none is passed where another is meant. A
// brand exists in types alone: it costs nothing at run time.

const identifier = (prefix: string) =>
  z
    .string()
    .regex(
      new RegExp(`^${prefix}_[0-9a-z]{1,64}$`),
      'Must be an identifier as the server gave it.',
    );

export const AccountId = identifier('acc').brand<'AccountId'>();
export type AccountId = z.infer<typeof AccountId>;
export const UserId = identifier('usr');
export const SessionId = identifier('ses');
export const InvitationId = identifier('inv');

/** Ids in answers and in what the store keeps, which were checked when they were made. */
export const known = { accountId: z.string().brand<'AccountId'>() };
