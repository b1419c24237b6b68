import { type AccountId, type UserId, known } from '../../shared/contract/ids.ts';
import { createHmac } from 'node:crypto';
import { runWithAdapter } from '@better-auth/core/context';
import { APIError } from 'better-auth/api';
import { betterAuth } from 'better-auth/minimal';
import { username } from 'better-auth/plugins/username';
import { MAX_PASSWORD } from '../../shared/contract/v1/team.ts';
import type { Deps } from '../context/deps.ts';
import type { RequestContext } from '../context/request.ts';
import { createPasswords } from './passwords.ts';
import { createRows, type PeopleRows } from './people-rows.ts';
import { hashOf } from './session.ts';
import { beginSession } from './sign-in.ts';
import type { Writer } from '../storage/repositories.ts';

interface Entering {
  account_id: AccountId;
  user_id: UserId;
  user_name: string;
}

class PasswordChanged extends Error {
  override name = 'PasswordChanged';
}

/**
 * People who sign in with a password. Better Auth checks and stores passwords and begins sessions,
 * on this store's tables.
 */
export interface People {
  /**
   * Finds a person and compares the password. `enter` names the person and account of the session,
   * inside the session's transaction. Answers the session's token; undefined where e-mail or
   * password is wrong.
   */
  signIn(
    context: RequestContext,
    given: { email: string; password: string },
    enter: (writer: Writer, userId: UserId) => Promise<Entering>,
  ): Promise<string | undefined>;
  /** Hashes a password. Takes time, so it must not run inside a transaction. */
  hash(password: string): Promise<string>;
  isRight(userId: UserId, password: string): Promise<boolean>;
  /**
   * Adds a person, inside a transaction of the caller. Throws conflict where the e-mail address is
   * taken.
   */
  register(writer: Writer, person: { name: string; email: string }, phc: string): Promise<UserId>;
  setPassword(writer: Writer, userId: UserId, phc: string): Promise<void>;
  /** Begins a session; answers its token. */
  begin(writer: Writer, context: RequestContext, person: Entering): Promise<string>;
}

type PeopleDeps = Pick<Deps, 'store' | 'clock' | 'random' | 'hmacSecret'>;

/**
 * None of Better Auth's own pages or endpoints is served: our operations call it, and it sends no
 * requests and sets no cookies.
 */
function createAuth({ random, hmacSecret }: PeopleDeps, rows: PeopleRows) {
  const passwords = createPasswords(random);
  return betterAuth({
    baseURL: 'http://studio.invalid',
    secret: createHmac('sha256', hmacSecret).update('better-auth').digest('base64url'),
    telemetry: { enabled: false },
    logger: { disabled: true },
    database: createRows(rows),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      maxPasswordLength: 2 * MAX_PASSWORD,
      password: {
        hash: passwords.hash,
        verify: ({ hash, password }) => passwords.verify(password, hash),
      },
    },
    // Sign-in by user name, because sign-in by e-mail refuses addresses of private networks, such
    // as ada@ward.
    plugins: [
      username({
        maxUsernameLength: 2 * 254,
        usernameValidator: () => true,
        usernameNormalization: false,
      }),
    ],
  });
}

/** Whether it says that e-mail or password is wrong. */
const isWrong = (error: unknown): boolean =>
  error instanceof PasswordChanged || (error instanceof APIError && error.statusCode === 401);

/** Begins sessions for a browser and keeps the token of the last. */
function sessionBeginner(deps: PeopleDeps, context: RequestContext) {
  const begun: { token?: string } = {};
  const begin = async (writer: Writer, person: Entering): Promise<string> => {
    begun.token = await beginSession(writer, deps, context, person, 'password');
    return hashOf(begun.token);
  };
  return { begun, begin };
}

/**
 * Begins the session unless the password that was compared is another by then: a change of the
 * password ends all sessions, and could not end this one, which begins after it.
 */
function beginIfUnchanged(
  begin: (writer: Writer, person: Entering) => Promise<string>,
  enter: Parameters<People['signIn']>[2],
): PeopleRows['begin'] {
  return async (writer, userId, compared) => {
    if ((await writer.teamWrites.holdPassword(userId)) !== compared) throw new PasswordChanged();
    return begin(writer, await enter(writer, userId));
  };
}

export async function createPeople(deps: PeopleDeps): Promise<People> {
  const { store } = deps;
  const apart: PeopleRows = {
    read: (work) => store.read(work),
    write: (work) => store.transact(work),
    begin: () => Promise.reject(new TypeError('A session begins in a browser.')),
  };
  const auth = createAuth(deps, apart);
  const { internalAdapter, password: kept } = await auth.$context;

  /** Runs `work` with the library's reads and writes going to `rows`. */
  const on = <T>(rows: PeopleRows, work: () => T) =>
    runWithAdapter(createRows(rows)(auth.options), work);
  const inside = <T>(writer: Writer, work: () => T, begin = apart.begin) =>
    on({ read: (read) => read(writer), write: (write) => write(writer), begin }, work);

  return {
    async signIn(context, { email, password }, enter) {
      const { begun, begin } = sessionBeginner(deps, context);
      try {
        await on({ ...apart, begin: beginIfUnchanged(begin, enter) }, () =>
          auth.api.signInUsername({ body: { username: email, password } }),
        );
      } catch (error) {
        if (isWrong(error)) return undefined;
        throw error;
      }
      return begun.token;
    },
    hash: (password) => kept.hash(password),
    async isRight(userId, password) {
      const account = await internalAdapter.findCredentialAccount(userId);
      return kept.verify({ hash: account?.password ?? '', password });
    },
    async register(writer, { name, email }, phc) {
      return inside(writer, async () => {
        const { id } = await internalAdapter.createUser(
          { name, email, emailVerified: false },
          { method: 'email-password' },
        );
        const account = { userId: id, accountId: id, providerId: 'credential', password: phc };
        await internalAdapter.linkAccount(account);
        return known.userId.parse(id);
      });
    },
    async setPassword(writer, userId, phc) {
      await inside(writer, () => internalAdapter.updatePassword(userId, phc));
    },
    async begin(writer, context, person) {
      const { begun, begin } = sessionBeginner(deps, context);
      await inside(
        writer,
        () => internalAdapter.createSession(person.user_id),
        () => begin(writer, person),
      );
      return begun.token ?? '';
    },
  };
}
