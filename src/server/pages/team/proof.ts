import { type Cookie, isToken, mintToken } from '../../auth/session.ts';
import type { Deps } from '../../context/deps.ts';
import { ApiError } from '../../context/errors.ts';
import { checkOwnPage } from '../../auth/access.ts';
import type { RequestContext } from '../../context/request.ts';

/** How long a page with a form may stay open before it is sent, ms. */
const FORM_LIFE = 12 * 3_600_000;
/** Name of the hidden field. */
const PROOF = 'proof';

/**
 * Proof that a form was filled in on one of our pages, in the browser that received it; before
 * signing in there is no session to tie it to. The page holds the same random value as a cookie of
 * that browser, which another site can neither read nor set. In addition the browser itself says
 * where the form comes from.
 */
export function createProof(deps: Pick<Deps, 'random'>, cookie: Cookie) {
  const held = ({ req }: RequestContext): string | undefined => {
    const value = cookie.read(req.headers.cookie);
    return value !== undefined && isToken(value) ? value : undefined;
  };
  return {
    issue(context: RequestContext): {
      hidden: { [PROOF]: string };
      headers: Record<string, string>;
    } {
      const value = held(context) ?? mintToken(deps.random);
      return {
        hidden: { [PROOF]: value },
        headers: { 'Set-Cookie': cookie.set(value, FORM_LIFE) },
      };
    },
    check(context: RequestContext, given: string): void {
      checkOwnPage(context);
      if (given === '' || held(context) !== given)
        throw new ApiError('csrf_failed', {
          message:
            'This form was not sent from the page that this browser got. Open the page again.',
        });
    },
  };
}
export type Proof = ReturnType<typeof createProof>;
