import { isStudioPage, SERVER_PAGES, STUDIO_PAGES } from '../../shared/contract/page-addresses.ts';
import { addressOf, type RequestContext } from '../context/request.ts';

const FIRST = STUDIO_PAGES.projects;
const MAX_NEXT = 2_000;

/**
 * The page to open after signing in. Only a view of the studio or an invitation is allowed, so that
 * no link can lead to another site.
 */
export function ownPath(next: string | null): string {
  if (
    next === null ||
    next.length > MAX_NEXT ||
    !/^[\x21-\x7e]+$/.test(next) ||
    next.includes('\\')
  )
    return FIRST;
  return isStudioPage(next.split(/[?#]/)[0] ?? '') || next === SERVER_PAGES.join ? next : FIRST;
}

/** Address of the sign-in page, from which the person goes to `next`. */
export function loginPathTo(next: string): string {
  return next === FIRST
    ? SERVER_PAGES.login
    : `${SERVER_PAGES.login}?next=${encodeURIComponent(next)}`;
}

/** Address of the sign-in page, from which the person returns to the page that was asked for. */
export function loginPath({ path, search }: Pick<RequestContext, 'path' | 'search'>): string {
  return loginPathTo(ownPath(addressOf({ path, search })));
}
