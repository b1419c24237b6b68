import { signInLimits, withinLimits } from '../../auth/limits.ts';
import { beginSession } from '../../auth/sign-in.ts';
import type { Answer, Exchange } from '../../http/exchange.ts';
import { readForm } from '../../http/form.ts';
import type { Reader } from '../../storage/port.ts';
import { ownPath } from '../next.ts';
import type { Desk } from './desk.ts';
import { FIELDS, LoginForm } from './fields.ts';

const WRONG = 'The e-mail address or the password is not right.';
const NO_TEAM = 'You are in no team of this server any more. Ask an owner for an invitation.';

/** The account that the person was in last. */
export async function accountToEnter(reader: Reader, userId: string): Promise<string | undefined> {
  const accounts = await reader.team.accountsOf(userId);
  return accounts.toSorted((a, b) => ((a.last_seen_at ?? '') < (b.last_seen_at ?? '') ? 1 : -1))[0]?.account_id;
}

export function createLoginPage(desk: Desk) {
  const { deps, passwords, refusals } = desk;
  const pageFor = (next: string, given: Record<string, string> = {}) => ({
    title: 'Sign in',
    action: next === '/studio' ? '/login' : `/login?next=${encodeURIComponent(next)}`,
    fields: [FIELDS.knownEmail, FIELDS.password],
    button: 'Sign in',
    given,
    again: 'password',
    outro: '<p class="hint">New here? Ask an owner of your team for an invitation. Forgot the password? Ask whoever runs the server for a link to choose another.</p>',
  });
  const nextOf = ({ search }: Exchange): string => ownPath(new URLSearchParams(search).get('next'));

  return {
    async get(exchange: Exchange): Promise<Answer> {
      if (!(await deps.store.read((reader) => reader.team.isSetUp()))) return { status: 303, headers: { Location: '/setup' }, body: '' };
      const next = nextOf(exchange);
      if ((await desk.authenticator.person(exchange)) !== undefined) return { status: 303, headers: { Location: next }, body: '' };
      return desk.show(exchange, pageFor(next));
    },

    async post(exchange: Exchange): Promise<Answer> {
      const { proof, ...given } = await readForm(exchange, ['proof', 'email', 'password']);
      desk.proof.check(exchange, proof);
      const next = nextOf(exchange);
      const page = pageFor(next, { email: given.email });
      return desk.orSay(exchange, page, async () => {
        const form = LoginForm.safeParse(given).data;
        // Looked up in the same way, and verified as slowly, for an address that nobody has.
        const { person, account } = await deps.store.read(async (reader) => {
          const found = await reader.team.personByEmail(form?.email ?? '');
          return { person: found, account: await accountToEnter(reader, found?.user_id ?? '') };
        });
        const isRight = await withinLimits(deps.store, signInLimits(form?.email ?? '', exchange.address), () => passwords.verify(given.password.slice(0, 1_024), person?.password ?? null));
        if (person === undefined || !isRight) {
          refusals.note({ action: 'sign_in.failed', account_id: account ?? '', object: person?.user_id ?? null, address: exchange.address, reason: person === undefined ? 'unknown_email' : 'wrong_password' });
          exchange.code = 'wrong_password';
          return desk.show(exchange, { ...page, problem: WRONG }, 403);
        }
        const token = await deps.store.transact(async (writer) => {
          const account_id = await accountToEnter(writer, person.user_id);
          if (account_id === undefined) return undefined;
          const former = desk.sessionOf(exchange);
          if (former !== undefined) await writer.sessionWrites.remove(former);
          return beginSession(writer, deps, exchange, { account_id, user_id: person.user_id, user_name: person.name }, 'password');
        });
        return token === undefined ? desk.show(exchange, { ...page, problem: NO_TEAM }, 403) : desk.enter(token, next);
      });
    },
  };
}
