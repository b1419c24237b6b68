import { z } from 'zod';
import {
  Email,
  MAX_PASSWORD,
  MIN_PASSWORD,
  NewPassword,
  PersonName,
  TeamName,
} from '../../../shared/contract/v1/team.ts';
import { text } from '../../../shared/contract/common.ts';
import { whyGuessable } from '../../auth/guessable.ts';
import type { FormField } from './form-page.ts';

const PASSWORD_HINT = `At least ${MIN_PASSWORD} characters. Several words that do not belong together are easy to keep and hard to guess.`;

export const FIELDS = {
  email: {
    name: 'email',
    label: 'E-mail',
    type: 'email',
    autocomplete: 'username',
    hint: 'The name to sign in with. Nothing is ever sent to it.',
  },
  knownEmail: { name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username' },
  name: {
    name: 'name',
    label: 'Your name',
    type: 'text',
    autocomplete: 'name',
    hint: 'As histories and reports show it.',
  },
  team: { name: 'team', label: 'Name of the team', type: 'text', autocomplete: 'organization' },
  invitation: {
    name: 'token',
    label: 'Invitation',
    type: 'text',
    autocomplete: 'off',
    hint: 'The link that you were given, or its part after the #.',
  },
  token: {
    name: 'token',
    label: 'Setup token',
    type: 'text',
    autocomplete: 'off',
    hint: 'The server printed it when it started.',
  },
  password: {
    name: 'password',
    label: 'Password',
    type: 'password',
    autocomplete: 'current-password',
  },
  newPassword: {
    name: 'password',
    label: 'Password',
    type: 'password',
    autocomplete: 'new-password',
    hint: PASSWORD_HINT,
  },
} as const satisfies Record<string, FormField>;

export const SetupForm = z.strictObject({
  token: text(200),
  team: TeamName,
  name: PersonName,
  email: Email,
  password: NewPassword,
});
export const NewPersonForm = z.strictObject({
  name: PersonName,
  email: Email,
  password: NewPassword,
});
export const NewPasswordForm = z.strictObject({ password: NewPassword });
export const LoginForm = z.strictObject({ email: Email, password: text(MAX_PASSWORD) });

/** The form's values, or the problem of each field that has one. */
export async function parseForm<S extends z.ZodType>(
  schema: S,
  given: unknown,
  namesOf: (value: z.output<S>) => readonly string[] = () => [],
): Promise<{ value: z.output<S>; wrong?: undefined } | { wrong: Map<string, string> }> {
  const parsed = schema.safeParse(given);
  if (!parsed.success)
    return {
      wrong: new Map(
        parsed.error.issues.toReversed().map((issue) => [String(issue.path[0]), issue.message]),
      ),
    };
  const { data } = parsed;
  const password =
    typeof data === 'object' &&
    data !== null &&
    'password' in data &&
    typeof data.password === 'string'
      ? data.password
      : undefined;
  const why = password === undefined ? undefined : await whyGuessable(password, namesOf(data));
  return why === undefined ? { value: data } : { wrong: new Map([['password', why]]) };
}
