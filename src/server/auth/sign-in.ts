import { operatorOrigin, personOrigin } from '../audit/entries.ts';
import type { Deps } from '../context/deps.ts';
import type { RequestContext } from '../context/request.ts';
import { hashOf, mintToken, SESSION_LIFE, tokenHash } from './session.ts';
import { clientInfoOf } from './client-info.ts';
import type { SignedIn } from '../storage/accounts/sessions.ts';
import type { Writer } from '../storage/repositories.ts';

/** How long a sign-in link can be used, ms. */
export const LINK_LIFE = 10 * 60_000;

type LinkDeps = Pick<Deps, 'store' | 'clock' | 'random'>;

/**
 * Makes a link that signs a browser in, once, within ten minutes: as the given user, else as this
 * computer's person. `url` is the running server's.
 */
export async function createSignInLink(
  deps: LinkDeps,
  url: string,
  user_id = deps.store.local.user_id,
): Promise<string> {
  const token = mintToken(deps.random);
  const { account_id } = deps.store.local;
  const expires_at = new Date(deps.clock.now() + LINK_LIFE).toISOString();
  await deps.store.transact(async (writer) => {
    await writer.sessionWrites.addLink(hashOf(token), { account_id, user_id, expires_at });
    writer.audit.by(operatorOrigin(deps.store));
    writer.audit.add({ action: 'sign_in.link_created', object: user_id, detail: { expires_at } });
  });
  return `${url}/sign-in?token=${token}`;
}

/**
 * Starts a session in this browser; answers its token. From here on the transaction's audit events
 * name this person.
 */
export async function beginSession(
  writer: Writer,
  deps: Pick<LinkDeps, 'clock' | 'random'>,
  context: RequestContext,
  person: SignedIn & { user_name: string },
  method: 'password' | 'link',
): Promise<string> {
  const token = mintToken(deps.random);
  const hash = hashOf(token);
  const expires_at = new Date(deps.clock.now() + SESSION_LIFE).toISOString();
  await writer.sessionWrites.create(hash, {
    account_id: person.account_id,
    user_id: person.user_id,
    ...clientInfoOf(context),
    method,
    expires_at,
  });
  writer.audit.by(personOrigin(person, hash, context));
  writer.audit.add({ action: 'sign_in.done', object: person.user_id, detail: { by: method } });
  return token;
}

/**
 * Uses up a link and starts a session; answers its token, or undefined where the link was used, has
 * expired or never existed.
 */
export async function signIn(
  deps: LinkDeps,
  linkToken: string,
  context: RequestContext,
): Promise<string | undefined> {
  const link = tokenHash(linkToken);
  if (link === undefined) return undefined;
  return deps.store.transact(async (writer) => {
    const person = await writer.sessionWrites.takeLink(link);
    return person && beginSession(writer, deps, context, person, 'link');
  });
}
