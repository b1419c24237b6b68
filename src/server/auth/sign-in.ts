import { operatorOrigin, personOrigin } from '../audit.ts';
import type { Deps } from '../deps.ts';
import type { Exchange } from '../http/exchange.ts';
import { hashOf, mintToken, SESSION_LIFE, tokenHash } from './session.ts';
import { visitorOf } from './visitor.ts';

/** How long a sign-in link can be used, ms. */
export const LINK_LIFE = 10 * 60_000;

type LinkDeps = Pick<Deps, 'store' | 'clock' | 'random'>;

/** A link that signs one browser in as a user, this computer's person if none is named, once, within ten minutes. `url` is the running server's. */
export async function createSignInLink(deps: LinkDeps, url: string, user_id = deps.store.local.user_id): Promise<string> {
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

/** Takes a link and starts a session; undefined where the link was used, has expired or never was. Answers the session's token. */
export async function signIn(deps: LinkDeps, linkToken: string, exchange: Exchange): Promise<string | undefined> {
  const link = tokenHash(linkToken);
  if (link === undefined) return undefined;
  return deps.store.transact(async (writer) => {
    const person = await writer.sessionWrites.takeLink(link);
    if (person === undefined) return undefined;
    const token = mintToken(deps.random);
    const hash = hashOf(token);
    await writer.sessionWrites.create(hash, { ...person, ...visitorOf(exchange), method: 'link', expires_at: new Date(deps.clock.now() + SESSION_LIFE).toISOString() });
    writer.audit.by(personOrigin(person, hash, exchange));
    writer.audit.add({ action: 'sign_in.done', object: person.user_id, detail: { by: 'link' } });
    return token;
  });
}
