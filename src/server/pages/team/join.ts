import { SERVER_PAGES } from '../../../shared/contract/page-addresses.ts';
import { isToken, tokenHash } from '../../auth/session.ts';
import type { HttpAnswer, RequestContext } from '../../context/request.ts';
import { readForm } from '../../http/form.ts';
import type { OpenInvitation } from '../../storage/accounts/invitations.ts';
import { speechFor } from '../text/speech.ts';
import { NewPasswordForm, NewPersonForm, parseForm } from './fields.ts';
import {
  answerGone,
  choosePassword,
  joinAs,
  openedInvitation,
  registerAndJoin,
  take,
} from './join-actions.ts';
import { pageOf, START } from './join-page.ts';
import type { SignInPages } from './sign-in-pages.ts';

/** How long a browser keeps an invitation that it has opened: time to sign in first, ms. */
const OPENED_FOR = 3_600_000;
/** Asks for an invitation whatever the browser has opened before. */
const ANOTHER = 'another';

type JoinPage<K extends string> = Extract<ReturnType<typeof pageOf>, { kind: K }>;

/** A link that a browser has opened, and what was entered on its page. */
interface SentForm<K extends string> {
  context: RequestContext;
  invitation: OpenInvitation;
  page: JoinPage<K>;
  given: { name: string; email: string; password: string };
}

function joinSignedIn(
  pages: SignInPages,
  { context, invitation, page }: SentForm<'person'>,
): Promise<HttpAnswer> {
  return pages.showErrors(context, page, () =>
    take(pages, context, null, (writer) => joinAs({ writer, context }, invitation, page.person)),
  );
}

async function changePassword(
  pages: SignInPages,
  { context, invitation, page, given: { password } }: SentForm<'password'>,
): Promise<HttpAnswer> {
  const { email, account_name } = invitation;
  const form = await parseForm(NewPasswordForm, { password }, () => [email ?? '', account_name]);
  if (form.wrong !== undefined) return pages.show(context, { ...page, wrong: form.wrong });
  return pages.showErrors(context, page, async () => {
    const people = await pages.people();
    const phc = await people.hash(form.value.password);
    return take(pages, context, email, (writer) =>
      choosePassword({ pages, people, writer, context }, page.user_id, phc),
    );
  });
}

async function joinNew(
  pages: SignInPages,
  { context, invitation, page, given }: SentForm<'new'>,
): Promise<HttpAnswer> {
  const shown = { ...page, given };
  const form = await parseForm(NewPersonForm, given, ({ name, email }) => [
    name,
    email,
    invitation.account_name,
  ]);
  if (form.wrong !== undefined) return pages.show(context, { ...shown, wrong: form.wrong });
  const { name, email, password } = form.value;
  return pages.showErrors(context, shown, async () => {
    const people = await pages.people();
    const phc = await people.hash(password);
    return take(pages, context, email, (writer) =>
      registerAndJoin({ pages, people, writer, context }, invitation, { name, email, phc }),
    );
  });
}

/**
 * The target of a link: joining an account by an owner's invitation, or choosing a password by the
 * operator's. The token comes in the body of a request, never in an address, and then stays in a
 * cookie while the person fills in the form or signs in first.
 */
export function createJoinPage(pages: SignInPages) {
  const { store } = pages.deps;

  async function find(context: RequestContext): Promise<OpenInvitation | undefined> {
    const hash = openedInvitation(pages, context);
    return hash === undefined ? undefined : store.read((reader) => reader.team.invitation(hash));
  }

  async function pageFor(context: RequestContext, invitation: OpenInvitation) {
    const joins = invitation.user_id === null;
    const person = joins ? await pages.authenticator.person(context) : undefined;
    return pageOf(invitation, person, speechFor(context));
  }

  /** Keeps the invitation for this browser, and leads to its page. */
  async function open(context: RequestContext, given: string): Promise<HttpAnswer> {
    const token = given.trim().split('#').at(-1) ?? '';
    const invitation = isToken(token)
      ? await store.read((reader) => reader.team.invitation(tokenHash(token) ?? ''))
      : undefined;
    if (invitation === undefined) return answerGone(pages, context);
    return {
      status: 303,
      headers: { Location: SERVER_PAGES.join },
      cookies: [pages.invitation.set(token, OPENED_FOR)],
      body: '',
    };
  }

  return {
    async get(context: RequestContext): Promise<HttpAnswer> {
      const invitation = context.search === ANOTHER ? undefined : await find(context);
      if (invitation === undefined) return pages.show(context, START);
      return pages.show(context, await pageFor(context, invitation));
    },

    async post(context: RequestContext): Promise<HttpAnswer> {
      const { proof, token, ...given } = await readForm(context, [
        'proof',
        'token',
        'name',
        'email',
        'password',
      ]);
      pages.proof.check(context, proof);
      if (token !== '') return open(context, token);
      const invitation = await find(context);
      if (invitation === undefined) return answerGone(pages, context);
      const page = await pageFor(context, invitation);
      const sent = { context, invitation, given };
      switch (page.kind) {
        case 'person':
          return joinSignedIn(pages, { ...sent, page });
        case 'password':
          return changePassword(pages, { ...sent, page });
        case 'new':
          return joinNew(pages, { ...sent, page });
      }
    },
  };
}
