import { createHash } from 'node:crypto';

/** How long a browser stays signed in, ms. */
export const SESSION_LIFE = 7 * 24 * 3_600_000;

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits for a cookie or a link. */
export function mintToken(random: { bytes(length: number): Uint8Array }): string {
  return Buffer.from(random.bytes(32)).toString('base64url');
}

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** What is stored of a token: its hash. Undefined where the text is no token. */
export function tokenHash(token: string): string | undefined {
  return isToken(token) ? createHash('sha256').update(token).digest('hex') : undefined;
}

/** What is stored of a token that was just made. */
export function hashOf(token: string): string {
  const hash = tokenHash(token);
  if (hash === undefined) throw new TypeError('A token that was just made has the form of one.');
  return hash;
}

/** A cookie: its name and its attributes. */
export interface Cookie {
  /**
   * The value in a Cookie header. If it is there twice, neither counts: a server on another port or
   * a page of a neighbouring host may have set one.
   */
  read(header: string | undefined): string | undefined;
  set(value: string, maxAgeMs: number): string;
  clear(): string;
}

function createCookie(name: string, attributes: string): Cookie {
  const set = (value: string, maxAgeMs: number): string =>
    `${name}=${value}; Path=/; Max-Age=${Math.floor(maxAgeMs / 1_000)}; HttpOnly; ${attributes}`;
  return {
    read(header) {
      const values = (header ?? '').split(';').flatMap((pair) => {
        const equals = pair.indexOf('=');
        return pair.slice(0, equals).trim() === name ? [pair.slice(equals + 1).trim()] : [];
      });
      return values.length === 1 ? values[0] : undefined;
    },
    set,
    clear: () => set('', 0),
  };
}

export interface Cookies {
  session: Cookie;
  /** The part of a form's proof that only the browser holds (see pages/team/proof.ts). */
  form: Cookie;
  /** The invitation that the browser has opened (see pages/team/join.ts). */
  invitation: Cookie;
  /** In whom the browser has signed in before (see known-browser.ts). */
  known: Cookie;
  /** The label of the session's account, for proxies (see shard.ts). */
  shard: Cookie;
}

/**
 * Cookies of this server. On a hosted one, `__Host-` keeps neighbouring hosts from setting them and
 * requires https, and SameSite=Lax lets somebody follow a link to a run while signed in. On one
 * machine nobody comes from another site, so Strict.
 */
export function createCookies(kind: 'local' | 'hosted' | 'hosted without https'): Cookies {
  const [prefix, secure] = kind === 'hosted' ? ['__Host-', '; Secure'] : ['', ''];
  const withLinks = `SameSite=${kind === 'local' ? 'Strict' : 'Lax'}${secure}`;
  return {
    session: createCookie(`${prefix}evs_session`, withLinks),
    shard: createCookie(`${prefix}evs_shard`, withLinks),
    form: createCookie(`${prefix}evs_form`, `SameSite=Strict${secure}`),
    invitation: createCookie(`${prefix}evs_join`, `SameSite=Strict${secure}`),
    known: createCookie(`${prefix}evs_known`, `SameSite=Strict${secure}`),
  };
}
