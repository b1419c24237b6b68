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

/** What is stored of a token, or undefined where the text is none. */
export function tokenHash(token: string): string | undefined {
  return isToken(token) ? createHash('sha256').update(token).digest('hex') : undefined;
}

/** What is stored of a token that was just made. */
export function hashOf(token: string): string {
  const hash = tokenHash(token);
  if (hash === undefined) throw new TypeError('A token that was just made has the form of one.');
  return hash;
}

/** A cookie's name and what it is sent with. */
export interface Cookie {
  /** The value in a Cookie header. Two of them are none: a neighbour on another port, or a page of a neighbouring host, may have set one. */
  read(header: string | undefined): string | undefined;
  set(value: string, maxAgeMs: number): string;
  clear(): string;
}

function createCookie(name: string, attributes: string): Cookie {
  const set = (value: string, maxAgeMs: number): string => `${name}=${value}; Path=/; Max-Age=${Math.floor(maxAgeMs / 1_000)}; HttpOnly; ${attributes}`;
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
  /** The half of a form's proof that only a browser of ours holds. */
  form: Cookie;
}

/**
 * `__Host-` keeps neighbouring hosts from setting them, and asks for https. A hosted studio's session goes along when somebody follows a link to a run;
 * on one machine nobody comes from elsewhere.
 */
export function createCookies(kind: 'local' | 'hosted' | 'hosted without https'): Cookies {
  const [prefix, secure] = kind === 'hosted' ? ['__Host-', '; Secure'] : ['', ''];
  return {
    session: createCookie(`${prefix}evs_session`, `SameSite=${kind === 'local' ? 'Strict' : 'Lax'}${secure}`),
    form: createCookie(`${prefix}evs_form`, `SameSite=Strict${secure}`),
  };
}
