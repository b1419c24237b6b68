import { isStudioPage } from '../../shared/contract/studio-pages.ts';
import { addressOf, type RequestContext } from '../context/request.ts';

const FIRST = '/studio';
/** The page where an invitation is accepted. */
export const JOIN = '/join';
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
  return isStudioPage(next.split(/[?#]/)[0] ?? '') || next === JOIN ? next : FIRST;
}

/** Address of the sign-in page, from which the person returns to the page that was asked for. */
export function loginPath({ path, search }: Pick<RequestContext, 'path' | 'search'>): string {
  const next = ownPath(addressOf({ path, search }));
  return next === FIRST ? '/login' : `/login?next=${encodeURIComponent(next)}`;
}
