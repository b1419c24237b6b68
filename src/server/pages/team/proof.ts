import { type Cookie, isToken, mintToken } from '../../auth/session.ts';
import type { Deps } from '../../deps.ts';
import { Refusal } from '../../http/errors.ts';
import { checkOwnPage } from '../../http/access.ts';
import type { Exchange } from '../../http/exchange.ts';

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
  const held = ({ req }: Exchange): string | undefined => {
    const value = cookie.read(req.headers.cookie);
    return value !== undefined && isToken(value) ? value : undefined;
  };
  return {
    issue(exchange: Exchange): { hidden: { [PROOF]: string }; headers: Record<string, string> } {
      const value = held(exchange) ?? mintToken(deps.random);
      return {
        hidden: { [PROOF]: value },
        headers: { 'Set-Cookie': cookie.set(value, FORM_LIFE) },
      };
    },
    check(exchange: Exchange, given: string): void {
      checkOwnPage(exchange);
      if (given === '' || held(exchange) !== given)
        throw new Refusal('csrf_failed', {
          message:
            'This form was not sent from the page that this browser got. Open the page again.',
        });
    },
  };
}
export type Proof = ReturnType<typeof createProof>;
