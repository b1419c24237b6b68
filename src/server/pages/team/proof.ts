import { type Cookie, isToken, mintToken } from '../../auth/session.ts';
import type { Deps } from '../../deps.ts';
import { Refusal } from '../../errors.ts';
import { checkOwnPage } from '../../http/access.ts';
import type { Exchange } from '../../http/exchange.ts';

/** How long a page with a form can stay open, ms. */
const FORM_LIFE = 12 * 3_600_000;
/** The hidden field with the page's half. */
const PROOF = 'proof';

/**
 * That a form was filled in on a page of ours, in the browser that got it: before anybody is signed in there is no session to tie it to. The page holds
 * what only that browser's cookie holds too; another site can neither read nor set the cookie. Beside it the browser itself says where the form is from.
 */
export function createProof(deps: Pick<Deps, 'random'>, cookie: Cookie) {
  const held = ({ req }: Exchange): string | undefined => {
    const value = cookie.read(req.headers.cookie);
    return value !== undefined && isToken(value) ? value : undefined;
  };
  return {
    issue(exchange: Exchange): { hidden: { [PROOF]: string }; headers: Record<string, string> } {
      const value = held(exchange) ?? mintToken(deps.random);
      return { hidden: { [PROOF]: value }, headers: { 'Set-Cookie': cookie.set(value, FORM_LIFE) } };
    },
    check(exchange: Exchange, given: string): void {
      checkOwnPage(exchange);
      if (given === '' || held(exchange) !== given) throw new Refusal('csrf_failed', { message: 'This form was not sent from the page that this browser got. Open the page again.' });
    },
  };
}
export type Proof = ReturnType<typeof createProof>;
