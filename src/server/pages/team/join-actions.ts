import type { AccountId, UserId } from '../../../shared/contract/ids.ts';
import { STUDIO_PAGES } from '../../../shared/contract/page-addresses.ts';
import { personOrigin } from '../../audit/entries.ts';
import type { People } from '../../auth/people.ts';
import { tokenHash } from '../../auth/session.ts';
import { ApiError } from '../../context/errors.ts';
import type { Principal } from '../../context/principal.ts';
import type { HttpAnswer, RequestContext } from '../../context/request.ts';
import type { OpenInvitation } from '../../storage/accounts/invitations.ts';
import type { Writer } from '../../storage/repositories.ts';
import { html } from '../layout.ts';
import { speechFor } from '../text/speech.ts';
import { gonePage } from './join-page.ts';
import { accountToEnter } from './login.ts';
import type { SignInPages } from './sign-in-pages.ts';

/** Name of the invitation that this browser has opened. */
export function openedInvitation(
  { invitation }: SignInPages,
  { req }: RequestContext,
): string | undefined {
  return tokenHash(invitation.read(req.headers.cookie) ?? '');
}

export function answerGone({ invitation }: SignInPages, context: RequestContext): HttpAnswer {
  return html(410, gonePage(speechFor(context)), { 'Set-Cookie': invitation.clear() });
}

/**
 * Uses the link up, once, in the transaction of its effect, which may answer with the token of a
 * new session.
 */
export async function take(
  pages: SignInPages,
  context: RequestContext,
  email: string | null,
  work: (writer: Writer) => Promise<string | void>,
): Promise<HttpAnswer> {
  const hash = openedInvitation(pages, context) ?? '';
  const taken = await pages.deps.store.transact(
    async (writer) => (await writer.teamWrites.take(hash)) && { token: await work(writer) },
  );
  if (taken === false) return answerGone(pages, context);
  const next = STUDIO_PAGES.projects;
  const answer =
    typeof taken.token === 'string'
      ? pages.redirectSignedIn(context, taken.token, { email, next })
      : { status: 303, headers: { Location: next }, body: '' };
  return { ...answer, cookies: [...(answer.cookies ?? []), pages.invitation.clear()] };
}

/** What an action inside the transaction that uses the link up works with. */
export interface Joining {
  pages: SignInPages;
  people: People;
  writer: Writer;
  context: RequestContext;
}

/** Begins a session and ends the one that this browser held before. */
async function begin(
  { pages, people, writer, context }: Joining,
  person: { account_id: AccountId; user_id: UserId; user_name: string },
): Promise<string> {
  await pages.endPreviousSession(context, writer);
  return people.begin(writer, context, person);
}

function noteJoined(
  writer: Writer,
  { role, invitation_id }: OpenInvitation,
  user_id: UserId,
): void {
  writer.audit.add({
    action: 'member.joined',
    object: user_id,
    detail: { role, invitation: invitation_id },
  });
}

/**
 * A person who is signed in continues in the new account; the time of their last password entry is
 * kept.
 */
export async function joinAs(
  { writer, context }: Pick<Joining, 'writer' | 'context'>,
  invitation: OpenInvitation,
  { actor, session }: Principal,
): Promise<void> {
  writer.audit.by(personOrigin({ ...actor, account_id: invitation.account_id }, session, context));
  await writer.teamWrites.add(invitation.account_id, actor.user_id, invitation.role);
  noteJoined(writer, invitation, actor.user_id);
  if (session === null) return;
  await writer.sessionWrites.switch(session, invitation.account_id);
  writer.audit.add({
    action: 'session.switched',
    object: actor.user_id,
    detail: { from: actor.account_id, to: invitation.account_id },
  });
}

/** A new person of the account. Answers the token of their session. */
export async function registerAndJoin(
  joining: Joining,
  invitation: OpenInvitation,
  { name, email, phc }: { name: string; email: string; phc: string },
): Promise<string> {
  const { people, writer } = joining;
  const { account_id, role } = invitation;
  const user_id = await people.register(writer, { name, email }, phc);
  // Comes before the session, because beginning one notes when the member was last seen.
  await writer.teamWrites.add(account_id, user_id, role);
  const token = await begin(joining, { account_id, user_id, user_name: name });
  writer.audit.add({ action: 'user.created', object: user_id, detail: { name } });
  noteJoined(writer, invitation, user_id);
  return token;
}

/** Another password for the person of the link. Answers the token of their session. */
export async function choosePassword(
  joining: Joining,
  user_id: UserId,
  phc: string,
): Promise<string> {
  const { people, writer, context } = joining;
  const [person, account_id] = [
    await writer.team.person(user_id),
    await accountToEnter(writer, user_id),
  ];
  if (person === undefined || account_id === undefined)
    throw new ApiError('conflict', { message: 'This person is in no team any more.' });
  await people.setPassword(writer, user_id, phc);
  await writer.sessionWrites.end(user_id, { but: null });
  const origin = { account_id, user_id, user_name: person.name };
  writer.audit.by(personOrigin(origin, null, context));
  writer.audit.add({ action: 'password.changed', object: user_id, detail: { by: 'link' } });
  return begin(joining, origin);
}
