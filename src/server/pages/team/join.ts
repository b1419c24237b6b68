import { personOrigin } from '../../audit.ts';
import type { Caller } from '../../auth/caller.ts';
import type { People } from '../../auth/people.ts';
import { tokenHash } from '../../auth/session.ts';
import { Refusal } from '../../errors.ts';
import type { Answer, Exchange } from '../../http/exchange.ts';
import { readForm } from '../../http/form.ts';
import type { Writer } from '../../storage/port.ts';
import type { OpenInvitation } from '../../storage/team-port.ts';
import { escapeHtml, html, plainPage } from '../layout.ts';
import { JOIN } from '../next.ts';
import type { Desk } from './desk.ts';
import { FIELDS, NewPasswordForm, NewPersonForm, parseForm } from './fields.ts';
import { accountToEnter } from './login.ts';

const GONE = plainPage(
  'Link not valid',
  `<main>
<h1>This link cannot be used</h1>
<p>It works once, and for a limited time. Ask whoever gave it to you for another.</p>
<p>You joined with it already? <a href="/login">Sign in</a></p>
</main>`,
);
const ROLE_WORDS = { owner: 'an owner, who also invites and changes members', member: 'a member, who records evidence and freezes runs', viewer: 'a viewer, who reads and changes nothing' } as const;

/** The target of a link: joining an account by an owner's invitation, or choosing a password by the operator's. */
export function createJoinPage(desk: Desk) {
  const { deps } = desk;
  const hashIn = ({ path }: Exchange): string | undefined => tokenHash(path.slice(JOIN.length));

  async function find(exchange: Exchange): Promise<OpenInvitation | undefined> {
    const hash = hashIn(exchange);
    return hash === undefined ? undefined : deps.store.read((reader) => reader.team.invitation(hash));
  }

  async function pageFor(exchange: Exchange, { account_name, role, user_id, email }: OpenInvitation) {
    const team = escapeHtml(account_name);
    const { path: action } = exchange;
    if (user_id !== null) return { kind: 'password' as const, title: 'Choose a password', intro: `<p>For ${escapeHtml(email ?? 'you')}, in ${team}. Every browser that is signed in with the former one is signed out.</p>`, action, fields: [FIELDS.newPassword], button: 'Keep this password' };
    const intro = `<p>You are invited as ${ROLE_WORDS[role]}.</p>`;
    const person = await desk.authenticator.person(exchange);
    if (person !== undefined) return { kind: 'person' as const, person, title: `Join ${account_name}`, intro: `${intro}\n<p>You are signed in as ${escapeHtml(person.actor.user_name)}.</p>`, action, fields: [], button: 'Join' };
    const outro = `<p><a href="/login?next=${encodeURIComponent(action)}">I can sign in here already</a></p>`;
    return { kind: 'new' as const, title: `Join ${account_name}`, intro, outro, action, fields: [FIELDS.name, FIELDS.email, FIELDS.newPassword], button: 'Join' };
  }

  /** Uses the link up, once, in the transaction of its effect, which may answer with the token of a new session. */
  async function take(exchange: Exchange, email: string | null, work: (writer: Writer) => Promise<string | void>): Promise<Answer> {
    const taken = await deps.store.transact(async (writer) => (await writer.teamWrites.take(hashIn(exchange) ?? '')) && { token: await work(writer) });
    if (taken === false) return html(410, GONE);
    return typeof taken.token === 'string' ? desk.enter(exchange, taken.token, { email, next: '/studio' }) : { status: 303, headers: { Location: '/studio' }, body: '' };
  }

  /** Ends the session that this browser held before. */
  async function begin(people: People, writer: Writer, exchange: Exchange, person: { account_id: string; user_id: string; user_name: string }): Promise<string> {
    await desk.leave(exchange, writer);
    return people.begin(writer, exchange, person);
  }

  function noteJoined(writer: Writer, { role, invitation_id }: OpenInvitation, user_id: string): void {
    writer.audit.add({ action: 'member.joined', object: user_id, detail: { role, invitation: invitation_id } });
  }

  /** A person who is signed in continues in the new account; the time of their last password entry is kept. */
  async function joinAs(writer: Writer, exchange: Exchange, invitation: OpenInvitation, { actor, session }: Caller): Promise<void> {
    writer.audit.by(personOrigin({ ...actor, account_id: invitation.account_id }, session, exchange));
    await writer.teamWrites.add(invitation.account_id, actor.user_id, invitation.role);
    noteJoined(writer, invitation, actor.user_id);
    if (session === null) return;
    await writer.sessionWrites.switch(session, invitation.account_id);
    writer.audit.add({ action: 'session.switched', object: actor.user_id, detail: { from: actor.account_id, to: invitation.account_id } });
  }

  async function choosePassword(people: People, writer: Writer, exchange: Exchange, user_id: string, phc: string): Promise<string> {
    const [person, account_id] = [await writer.team.person(user_id), await accountToEnter(writer, user_id)];
    if (person === undefined || account_id === undefined) throw new Refusal('conflict', { message: 'This person is in no team any more.' });
    await people.setPassword(writer, user_id, phc);
    await writer.sessionWrites.end(user_id, { but: null });
    const origin = { account_id, user_id, user_name: person.name };
    writer.audit.by(personOrigin(origin, null, exchange));
    writer.audit.add({ action: 'password.changed', object: user_id, detail: { by: 'link' } });
    return begin(people, writer, exchange, origin);
  }

  return {
    async get(exchange: Exchange): Promise<Answer> {
      const invitation = await find(exchange);
      return invitation === undefined ? html(410, GONE) : desk.show(exchange, await pageFor(exchange, invitation));
    },

    async post(exchange: Exchange): Promise<Answer> {
      const { proof, ...given } = await readForm(exchange, ['proof', 'name', 'email', 'password']);
      desk.proof.check(exchange, proof);
      const invitation = await find(exchange);
      if (invitation === undefined) return html(410, GONE);
      const page = await pageFor(exchange, invitation);
      if (page.kind === 'person') {
        const { person } = page;
        return desk.orSay(exchange, page, () => take(exchange, null, (writer) => joinAs(writer, exchange, invitation, person)));
      }
      if (page.kind === 'password') {
        const form = await parseForm(NewPasswordForm, { password: given.password }, () => [invitation.email ?? '', invitation.account_name]);
        if (form.wrong !== undefined) return desk.show(exchange, { ...page, wrong: form.wrong });
        return desk.orSay(exchange, page, async () => {
          const people = await desk.people();
          const phc = await people.hash(form.value.password);
          return take(exchange, invitation.email, (writer) => choosePassword(people, writer, exchange, invitation.user_id ?? '', phc));
        });
      }
      const shown = { ...page, given };
      const form = await parseForm(NewPersonForm, given, ({ name, email }) => [name, email, invitation.account_name]);
      if (form.wrong !== undefined) return desk.show(exchange, { ...shown, wrong: form.wrong });
      const { name, email, password } = form.value;
      return desk.orSay(exchange, shown, async () => {
        const people = await desk.people();
        const phc = await people.hash(password);
        return take(exchange, email, async (writer) => {
          const user_id = await people.register(writer, { name, email }, phc);
          // Comes before the session, because beginning one notes when the member was last seen.
          await writer.teamWrites.add(invitation.account_id, user_id, invitation.role);
          const token = await begin(people, writer, exchange, { account_id: invitation.account_id, user_id, user_name: name });
          writer.audit.add({ action: 'user.created', object: user_id, detail: { name } });
          noteJoined(writer, invitation, user_id);
          return token;
        });
      });
    },
  };
}
