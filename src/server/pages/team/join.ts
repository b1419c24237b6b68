import { personOrigin } from '../../audit/entries.ts';
import type { Principal } from '../../context/principal.ts';
import type { People } from '../../auth/people.ts';
import { isToken, tokenHash } from '../../auth/session.ts';
import { ApiError } from '../../context/errors.ts';
import type { Answer, RequestContext } from '../../context/request.ts';
import { readForm } from '../../http/form.ts';
import { escapeHtml, html, plainPage } from '../layout.ts';
import { JOIN } from '../next.ts';
import type { Desk } from './desk.ts';
import { JOIN_SCRIPT_PATH } from './join-script.ts';
import { FIELDS, NewPasswordForm, NewPersonForm, parseForm } from './fields.ts';
import { accountToEnter } from './login.ts';
import type { OpenInvitation } from '../../storage/accounts/invitations.ts';
import type { Writer } from '../../storage/repositories.ts';

const GONE = plainPage(
  'Link not valid',
  `<main>
<h1>This link cannot be used</h1>
<p>It works once, and for a limited time. Ask whoever gave it to you for another.</p>
<p>You joined with it already? <a href="/login">Sign in</a></p>
</main>`,
);
const ROLE_WORDS = {
  owner: 'an owner, who also invites and changes members',
  member: 'a member, who records evidence and freezes runs',
  viewer: 'a viewer, who reads and changes nothing',
} as const;

/** How long a browser keeps an invitation that it has opened: time to sign in first, ms. */
const OPENED_FOR = 3_600_000;
/** Asks for an invitation whatever the browser has opened before. */
const ANOTHER = 'another';

/**
 * Where a script reads the token out of the address and sends it; without scripts a person does.
 */
const START = {
  title: 'Open an invitation',
  action: JOIN,
  fields: [FIELDS.invitation],
  button: 'Open',
  script: JOIN_SCRIPT_PATH,
};

/**
 * The target of a link: joining an account by an owner's invitation, or choosing a password by the
 * operator's. The token comes in the body of a request, never in an address, and then stays in a
 * cookie while the person fills in the form or signs in first.
 */
export function createJoinPage(desk: Desk) {
  const { deps } = desk;
  const hashIn = ({ req }: RequestContext): string | undefined =>
    tokenHash(desk.invitation.read(req.headers.cookie) ?? '');
  const gone = (): Answer => html(410, GONE, { 'Set-Cookie': desk.invitation.clear() });

  async function find(context: RequestContext): Promise<OpenInvitation | undefined> {
    const hash = hashIn(context);
    return hash === undefined
      ? undefined
      : deps.store.read((reader) => reader.team.invitation(hash));
  }

  async function pageFor(
    context: RequestContext,
    { account_name, role, user_id, email }: OpenInvitation,
  ) {
    const team = escapeHtml(account_name);
    const [action, script] = [JOIN, JOIN_SCRIPT_PATH];
    if (user_id !== null)
      return {
        kind: 'password' as const,
        title: 'Choose a password',
        intro: `<p>For ${escapeHtml(email ?? 'you')}, in ${team}. Every browser that is signed in with the former one is signed out.</p>`,
        action,
        script,
        fields: [FIELDS.newPassword],
        button: 'Keep this password',
      };
    const intro = `<p>You are invited as ${ROLE_WORDS[role]}.</p>`;
    const person = await desk.authenticator.person(context);
    if (person !== undefined)
      return {
        kind: 'person' as const,
        person,
        title: `Join ${account_name}`,
        intro: `${intro}\n<p>You are signed in as ${escapeHtml(person.actor.user_name)}.</p>`,
        action,
        script,
        fields: [],
        button: 'Join',
      };
    const outro = `<p><a href="/login?next=${encodeURIComponent(action)}">I can sign in here already</a></p>`;
    return {
      kind: 'new' as const,
      title: `Join ${account_name}`,
      intro,
      outro,
      action,
      script,
      fields: [FIELDS.name, FIELDS.email, FIELDS.newPassword],
      button: 'Join',
    };
  }

  /**
   * Uses the link up, once, in the transaction of its effect, which may answer with the token of a
   * new session.
   */
  async function take(
    context: RequestContext,
    email: string | null,
    work: (writer: Writer) => Promise<string | void>,
  ): Promise<Answer> {
    const taken = await deps.store.transact(
      async (writer) =>
        (await writer.teamWrites.take(hashIn(context) ?? '')) && { token: await work(writer) },
    );
    if (taken === false) return gone();
    const answer =
      typeof taken.token === 'string'
        ? desk.enter(context, taken.token, { email, next: '/studio' })
        : { status: 303, headers: { Location: '/studio' }, body: '' };
    return { ...answer, cookies: [...(answer.cookies ?? []), desk.invitation.clear()] };
  }

  /** Ends the session that this browser held before. */
  async function begin(
    people: People,
    writer: Writer,
    context: RequestContext,
    person: { account_id: string; user_id: string; user_name: string },
  ): Promise<string> {
    await desk.leave(context, writer);
    return people.begin(writer, context, person);
  }

  function noteJoined(
    writer: Writer,
    { role, invitation_id }: OpenInvitation,
    user_id: string,
  ): void {
    writer.audit.add({
      action: 'member.joined',
      object: user_id,
      detail: { role, invitation: invitation_id },
    });
  }

  /**
   * A person who is signed in continues in the new account; the time of their last password entry
   * is kept.
   */
  async function joinAs(
    writer: Writer,
    context: RequestContext,
    invitation: OpenInvitation,
    { actor, session }: Principal,
  ): Promise<void> {
    writer.audit.by(
      personOrigin({ ...actor, account_id: invitation.account_id }, session, context),
    );
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

  async function choosePassword(
    people: People,
    writer: Writer,
    context: RequestContext,
    user_id: string,
    phc: string,
  ): Promise<string> {
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
    return begin(people, writer, context, origin);
  }

  /** Keeps the invitation for this browser, and leads to its page. */
  async function open(given: string): Promise<Answer> {
    const token = given.trim().split('#').at(-1) ?? '';
    const invitation = isToken(token)
      ? await deps.store.read((reader) => reader.team.invitation(tokenHash(token) ?? ''))
      : undefined;
    if (invitation === undefined) return gone();
    return {
      status: 303,
      headers: { Location: JOIN },
      cookies: [desk.invitation.set(token, OPENED_FOR)],
      body: '',
    };
  }

  return {
    async get(context: RequestContext): Promise<Answer> {
      const invitation = context.search === ANOTHER ? undefined : await find(context);
      return desk.show(
        context,
        invitation === undefined ? START : await pageFor(context, invitation),
      );
    },

    async post(context: RequestContext): Promise<Answer> {
      const { proof, token, ...given } = await readForm(context, [
        'proof',
        'token',
        'name',
        'email',
        'password',
      ]);
      desk.proof.check(context, proof);
      if (token !== '') return open(token);
      const invitation = await find(context);
      if (invitation === undefined) return gone();
      const page = await pageFor(context, invitation);
      if (page.kind === 'person') {
        const { person } = page;
        return desk.orSay(context, page, () =>
          take(context, null, (writer) => joinAs(writer, context, invitation, person)),
        );
      }
      if (page.kind === 'password') {
        const form = await parseForm(NewPasswordForm, { password: given.password }, () => [
          invitation.email ?? '',
          invitation.account_name,
        ]);
        if (form.wrong !== undefined) return desk.show(context, { ...page, wrong: form.wrong });
        return desk.orSay(context, page, async () => {
          const people = await desk.people();
          const phc = await people.hash(form.value.password);
          return take(context, invitation.email, (writer) =>
            choosePassword(people, writer, context, invitation.user_id ?? '', phc),
          );
        });
      }
      const shown = { ...page, given };
      const form = await parseForm(NewPersonForm, given, ({ name, email }) => [
        name,
        email,
        invitation.account_name,
      ]);
      if (form.wrong !== undefined) return desk.show(context, { ...shown, wrong: form.wrong });
      const { name, email, password } = form.value;
      return desk.orSay(context, shown, async () => {
        const people = await desk.people();
        const phc = await people.hash(password);
        return take(context, email, async (writer) => {
          const user_id = await people.register(writer, { name, email }, phc);
          // Comes before the session, because beginning one notes when the member was last seen.
          await writer.teamWrites.add(invitation.account_id, user_id, invitation.role);
          const token = await begin(people, writer, context, {
            account_id: invitation.account_id,
            user_id,
            user_name: name,
          });
          writer.audit.add({ action: 'user.created', object: user_id, detail: { name } });
          noteJoined(writer, invitation, user_id);
          return token;
        });
      });
    },
  };
}
