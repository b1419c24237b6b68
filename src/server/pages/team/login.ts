import { type AccountId, known as knownIds, type UserId } from '../../../shared/contract/ids.ts';
import { SERVER_PAGES } from '../../../shared/contract/page-addresses.ts';
import { SignInLimited } from '../../auth/limits.ts';
import type { HttpAnswer, RequestContext } from '../../context/request.ts';
import { readForm } from '../../http/form.ts';
import type { Reader, Writer } from '../../storage/repositories.ts';
import { loginPathTo, ownPath } from '../next.ts';
import { FIELDS, LoginForm } from './fields.ts';
import type { SignInPages } from './sign-in-pages.ts';

const WRONG = 'The e-mail address or the password is not right.';
const DISABLED =
  'Whoever runs this server has ended your access to it. Ask them if that is a mistake.';
const NO_TEAM = 'You are in no team of this server any more. Ask an owner for an invitation.';

/** The password was right, and the person may not come in all the same. The message says why. */
class NotLetIn extends Error {
  override name = 'NotLetIn';
}

/** Asked for where an e-mail address is nobody's, so that both take as long. */
const NOBODY = knownIds.userId.parse('');

/** The account that the person used last. */
export async function accountToEnter(
  reader: Reader,
  userId: UserId,
): Promise<AccountId | undefined> {
  const accounts = await reader.team.accountsOf(userId);
  return accounts.toSorted((a, b) => ((a.last_seen_at ?? '') < (b.last_seen_at ?? '') ? 1 : -1))[0]
    ?.account_id;
}

function pageFor(next: string, given: Record<string, string> = {}) {
  return {
    title: 'Sign in',
    action: loginPathTo(next),
    fields: [FIELDS.knownEmail, FIELDS.password],
    button: 'Sign in',
    given,
    again: 'password',
    notes: [
      'New here? Ask an owner of your team for an invitation.',
      'Forgot the password? Ask whoever runs the server for a link to choose another.',
    ],
  };
}

/**
 * Chooses the account of a person whose password was right, and ends the session that this browser
 * held before.
 */
async function chooseAccount(
  pages: SignInPages,
  context: RequestContext,
  writer: Writer,
  user_id: UserId,
): Promise<{ account_id: AccountId; user_id: UserId; user_name: string }> {
  const [person, account_id] = [
    await writer.team.person(user_id),
    await accountToEnter(writer, user_id),
  ];
  if (person !== undefined && person.disabled_at !== null) throw new NotLetIn(DISABLED);
  if (person === undefined || account_id === undefined) throw new NotLetIn(NO_TEAM);
  await pages.endPreviousSession(context, writer);
  return { account_id, user_id, user_name: person.name };
}

/** Shown to the person at the next sign-in: tries in browsers that they never signed in with. */
function noteTried(
  { known, tried }: SignInPages,
  context: RequestContext,
  email: string,
  { user_id, refused }: { user_id: UserId | undefined; refused: boolean },
): void {
  if (user_id !== undefined && known.nameFor(context, email) === undefined)
    tried.note({ user_id, address: context.address, refused });
}

/** Events of signing in belong to the trail of the account that the person used last. */
async function noteFailure(
  pages: SignInPages,
  context: RequestContext,
  email: string,
): Promise<void> {
  const { person, account } = await pages.deps.store.read(async (reader) => {
    const found = await reader.team.personByEmail(email);
    return { person: found, account: await accountToEnter(reader, found?.user_id ?? NOBODY) };
  });
  noteTried(pages, context, email, { user_id: person?.user_id, refused: false });
  pages.refusals.note({
    action: 'sign_in.failed',
    account_id: account ?? '',
    object: person?.user_id ?? null,
    address: context.address,
    reason: person === undefined ? 'unknown_email' : 'wrong_password',
  });
}

/**
 * Owners of every team that the person is in see that somebody tries their password, from wherever.
 */
async function noteLimited(
  pages: SignInPages,
  context: RequestContext,
  email: string,
): Promise<void> {
  const { person, accounts } = await pages.deps.store.read(async (reader) => {
    const found = await reader.team.personByEmail(email);
    return { person: found, accounts: await reader.team.accountsOf(found?.user_id ?? NOBODY) };
  });
  noteTried(pages, context, email, { user_id: person?.user_id, refused: true });
  for (const { account_id } of accounts)
    pages.refusals.note({
      action: 'sign_in.limited',
      account_id,
      object: person?.user_id ?? null,
      address: null,
      reason: 'too_many_failures',
    });
}

/** The token of a new session, or undefined where e-mail address or password is wrong. */
async function trySignIn(
  pages: SignInPages,
  context: RequestContext,
  { email, password }: { email: string; password: string },
): Promise<string | undefined> {
  const people = await pages.people();
  return pages.signInLimits.signIn(
    { email, address: context.address, known: pages.known.nameFor(context, email) },
    () =>
      people.signIn(context, { email, password }, (writer, userId) =>
        chooseAccount(pages, context, writer, userId),
      ),
  );
}

export function createLoginPage(pages: SignInPages) {
  const { store } = pages.deps;
  const nextOf = ({ search }: RequestContext): string =>
    ownPath(new URLSearchParams(search).get('next'));

  return {
    async get(context: RequestContext): Promise<HttpAnswer> {
      if (!(await store.read((reader) => reader.team.isSetUp())))
        return { status: 303, headers: { Location: SERVER_PAGES.setup }, body: '' };
      const next = nextOf(context);
      if ((await pages.authenticator.person(context)) !== undefined)
        return { status: 303, headers: { Location: next }, body: '' };
      return pages.show(context, pageFor(next));
    },

    async post(context: RequestContext): Promise<HttpAnswer> {
      const { proof, ...given } = await readForm(context, ['proof', 'email', 'password']);
      pages.proof.check(context, proof);
      const next = nextOf(context);
      const page = pageFor(next, { email: given.email });
      return pages.showErrors(context, page, async () => {
        const { email = '', password = '' } = LoginForm.safeParse(given).data ?? {};
        try {
          const token = await trySignIn(pages, context, { email, password });
          if (token !== undefined) return pages.redirectSignedIn(context, token, { email, next });
        } catch (error) {
          if (error instanceof SignInLimited && error.ofPerson)
            await noteLimited(pages, context, email);
          if (error instanceof NotLetIn)
            return pages.show(context, { ...page, problem: error.message }, 403);
          throw error;
        }
        await noteFailure(pages, context, email);
        context.code = 'wrong_password';
        return pages.show(context, { ...page, problem: WRONG }, 403);
      });
    },
  };
}
