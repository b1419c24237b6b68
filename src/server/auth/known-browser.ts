import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Deps } from '../context/deps.ts';
import type { RequestContext } from '../context/request.ts';
import type { Cookie } from './session.ts';

/** How long a browser is known after a sign-in, ms: as long as browsers keep a cookie. */
const KNOWN_FOR = 400 * 24 * 3_600_000;
/**
 * People of one browser, as on a shared computer; the one who signed in longest ago is forgotten
 * first.
 */
const MAX_PEOPLE = 8;
const BYTES = 16;
const PART = '[A-Za-z0-9_-]{22}';
const VALUE = new RegExp(`^${PART}(\\.${PART}){1,${MAX_PEOPLE}}$`);

/**
 * Browsers in which a person has signed in before. A cookie proves it: a random name of the
 * browser, and for each of its people a MAC over that name and the e-mail. Failures in other
 * browsers never make such a browser wait.
 */
export interface KnownBrowsers {
  /** The browser's name, where it is known to this person; else undefined. */
  nameFor(context: RequestContext, email: string): string | undefined;
  /**
   * The cookie that makes the browser known to this person, beside those that it is known to
   * already.
   */
  remember(context: RequestContext, email: string): string;
}

export function createKnownBrowsers(
  { hmacSecret, random }: Pick<Deps, 'hmacSecret' | 'random'>,
  cookie: Cookie,
): KnownBrowsers {
  const secret = createHmac('sha256', hmacSecret).update('known browser').digest();
  const proofOf = (browser: string, email: string): string =>
    createHmac('sha256', secret)
      .update(JSON.stringify([browser, email]))
      .digest()
      .subarray(0, BYTES)
      .toString('base64url');
  const read = ({ req }: RequestContext): string[] => {
    const value = cookie.read(req.headers.cookie) ?? '';
    return VALUE.test(value) ? value.split('.') : [];
  };
  const isSame = (given: string, proof: string): boolean =>
    timingSafeEqual(Buffer.from(given), Buffer.from(proof));
  return {
    nameFor(context, email) {
      const [browser, ...proofs] = read(context);
      if (browser === undefined) return undefined;
      const proof = proofOf(browser, email);
      return proofs.some((given) => isSame(given, proof)) ? browser : undefined;
    },
    remember(context, email) {
      const [known, ...proofs] = read(context);
      const browser = known ?? Buffer.from(random.bytes(BYTES)).toString('base64url');
      const proof = proofOf(browser, email);
      const people = [proof, ...proofs.filter((given) => given !== proof)].slice(0, MAX_PEOPLE);
      return cookie.set([browser, ...people].join('.'), KNOWN_FOR);
    },
  };
}
