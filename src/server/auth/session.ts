import { createHash } from 'node:crypto';

export const SESSION_COOKIE = 'evs_session';
/** How long a browser stays signed in, ms. */
export const SESSION_LIFE = 7 * 24 * 3_600_000;

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits for a cookie or a link. */
export function mintToken(random: { bytes(length: number): Uint8Array }): string {
  return Buffer.from(random.bytes(32)).toString('base64url');
}

/** What is stored of a token, or undefined where the text is none. */
export function tokenHash(token: string): string | undefined {
  return TOKEN.test(token) ? createHash('sha256').update(token).digest('hex') : undefined;
}

/** The session token of a Cookie header. Two of them are none: a neighbour on another port may have set one. */
export function readSessionCookie(header: string | undefined): string | undefined {
  const values = (header ?? '').split(';').flatMap((pair) => {
    const equals = pair.indexOf('=');
    return pair.slice(0, equals).trim() === SESSION_COOKIE ? [pair.slice(equals + 1).trim()] : [];
  });
  return values.length === 1 ? values[0] : undefined;
}

export function sessionCookie(token: string, maxAgeMs: number, secure: boolean): string {
  return `${SESSION_COOKIE}=${token}; Path=/; Max-Age=${Math.floor(maxAgeMs / 1_000)}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
}
