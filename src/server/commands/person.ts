import type { z } from 'zod';
import { UserId } from '../../shared/contract/ids.ts';
import { Email } from '../../shared/contract/v1/team.ts';
import { CommandError, text, UsageError } from './command.ts';
import type { PersonRow } from '../storage/accounts/people.ts';
import type { Reader } from '../storage/repositories.ts';

/** The options by which a command names a person, and their help. */
export const NAMED = { email: { type: 'string' }, user: { type: 'string' } } as const;
export const WHO = {
  email: 'what the person signs in with',
  user: "instead of --email: the person's id, as admin list shows it",
};

function given<S extends z.ZodType>(
  option: keyof typeof NAMED,
  schema: S,
  value: unknown,
): z.output<S> {
  const parsed = schema.safeParse(value);
  if (!parsed.success)
    throw new UsageError(`--${option} cannot be used: ${parsed.error.issues[0]?.message}`);
  return parsed.data;
}

export async function findPerson(
  reader: Reader,
  values: Record<string, string | boolean | undefined>,
): Promise<PersonRow> {
  const [email, user] = [text(values.email), text(values.user)];
  if ((email === undefined) === (user === undefined))
    throw new UsageError(
      'Name the person: --email ADDRESS, or --user USER_ID as admin list shows it.',
    );
  const found =
    email === undefined
      ? await reader.team.person(given('user', UserId, user))
      : await reader.team.personByEmail(given('email', Email, email));
  if (found === undefined)
    throw new CommandError(
      email === undefined
        ? 'Nobody on this server has this id; see evidence-studio admin list.'
        : 'Nobody in a team of this server signs in with this e-mail address.',
    );
  return found;
}
