import { isStudioPage } from '../../shared/contract/studio-pages.ts';
import { isToken } from '../auth/session.ts';
import type { Exchange } from '../http/exchange.ts';

const FIRST = '/studio';
export const JOIN = '/join/';
const MAX_NEXT = 2_000;

/** Where an invitation is taken. */
export function isInvitationPath(path: string): boolean {
  return path.startsWith(JOIN) && isToken(path.slice(JOIN.length));
}

/** The page to open after signing in: a view of the studio or an invitation and nothing else, so that no link can lead away from here. */
export function ownPath(next: string | null): string {
  if (next === null || next.length > MAX_NEXT || !/^[\x21-\x7e]+$/.test(next) || next.includes('\\')) return FIRST;
  return isStudioPage(next.split(/[?#]/)[0] ?? '') || isInvitationPath(next) ? next : FIRST;
}

/** The sign-in page, which leads back to the page that was asked for. */
export function loginPath({ path, search }: Pick<Exchange, 'path' | 'search'>): string {
  const next = ownPath(search === '' ? path : `${path}?${search}`);
  return next === FIRST ? '/login' : `/login?next=${encodeURIComponent(next)}`;
}
