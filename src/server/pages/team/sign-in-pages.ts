import type { ErrorCode } from '../../../shared/contract/errors.ts';
import { ERROR_STATUS } from '../../../shared/contract/errors.ts';
import type { Authenticator } from '../../auth/authenticate.ts';
import { createKnownBrowsers, type KnownBrowsers } from '../../auth/known-browser.ts';
import type { SignInLimits } from '../../auth/limits.ts';
import type { People } from '../../auth/people.ts';
import type { Refusals } from '../../auth/refusals.ts';
import { type Cookie, type Cookies, SESSION_LIFE, tokenHash } from '../../auth/session.ts';
import type { TriedCounter } from '../../auth/tried-passwords.ts';
import { personOrigin } from '../../audit/entries.ts';
import type { Deps } from '../../context/deps.ts';
import { ApiError } from '../../context/errors.ts';
import type { HttpAnswer, RequestContext } from '../../context/request.ts';
import { html, SCRIPT_CSP } from '../layout.ts';
import { speechFor } from '../text/speech.ts';
import { type FormPage, formPage } from './form-page.ts';
import { createProof, type Proof } from './proof.ts';
import { StoreError } from '../../storage/db/errors.ts';
import type { Writer } from '../../storage/repositories.ts';

/** What the pages for people who are not signed in yet need. */
export interface SignInPages {
  deps: Deps;
  people(): Promise<People>;
  signInLimits: SignInLimits;
  authenticator: Authenticator;
  refusals: Pick<Refusals, 'note'>;
  tried: Pick<TriedCounter, 'note'>;
  proof: Proof;
  /** Holds the token of the invitation that the browser has opened. */
  invitation: Cookie;
  /**
   * Ends the session that the browser held before, which is an event in the trail of the account
   * that it was in. Whoever begins the next one names who acts then.
   */
  endPreviousSession(context: RequestContext, writer: Writer): Promise<void>;
  /** Shows a form; after a failed try, with its status and what was wrong. */
  show(context: RequestContext, page: Omit<FormPage, 'hidden'>, status?: number): HttpAnswer;
  /** Runs `work`. An error that the person can do something about is shown on the page. */
  showErrors(
    context: RequestContext,
    page: Omit<FormPage, 'hidden'>,
    work: () => Promise<HttpAnswer>,
  ): Promise<HttpAnswer>;
  /**
   * Redirects with the cookie of a new session, in a browser that is known to the person from then
   * on.
   */
  redirectSignedIn(
    context: RequestContext,
    token: string,
    person: { email: string | null; next: string },
  ): HttpAnswer;
  known: KnownBrowsers;
}

const SHOWN = new Set<ErrorCode>([
  'rate_limited',
  'unavailable',
  'conflict',
  'read_only',
  'storage_full',
]);

async function endPreviousSession(
  cookie: Cookie,
  context: RequestContext,
  writer: Writer,
): Promise<void> {
  const hash = tokenHash(cookie.read(context.req.headers.cookie) ?? '');
  const previous = hash === undefined ? undefined : await writer.sessions.byHash(hash);
  if (hash === undefined || previous === undefined) return;
  await writer.sessionWrites.remove(hash);
  writer.audit.by(personOrigin(previous, hash, context));
  writer.audit.add({
    action: 'session.ended',
    object: previous.user_id,
    detail: { ended: 1, by: 'signing in again' },
  });
}

/** Shows the page again with what went wrong, if the person can do something about that. */
function showError(
  show: SignInPages['show'],
  context: RequestContext,
  page: Omit<FormPage, 'hidden'>,
  error: unknown,
): HttpAnswer {
  if (!(error instanceof ApiError || error instanceof StoreError) || !SHOWN.has(error.code))
    throw error;
  context.code = error.code;
  const answer = show(context, { ...page, problem: error.message }, ERROR_STATUS[error.code]);
  return error instanceof ApiError
    ? { ...answer, headers: { ...answer.headers, ...error.headers } }
    : answer;
}

type SignInParts = Pick<
  SignInPages,
  'deps' | 'people' | 'signInLimits' | 'authenticator' | 'refusals' | 'tried'
>;

export function createSignInPages({
  cookies,
  ...parts
}: SignInParts & { cookies: Cookies }): SignInPages {
  const { deps } = parts;
  const proof = createProof(deps, cookies.form);
  const known = createKnownBrowsers(deps, cookies.known);
  const show: SignInPages['show'] = (
    context,
    page,
    status = page.wrong === undefined ? 200 : 422,
  ) => {
    const { hidden, headers } = proof.issue(context);
    return html(status, formPage({ ...page, hidden }, speechFor(context)), {
      ...headers,
      ...(page.script !== undefined && { 'Content-Security-Policy': SCRIPT_CSP }),
    });
  };
  return {
    ...parts,
    proof,
    invitation: cookies.invitation,
    known,
    show,
    endPreviousSession: (context, writer) => endPreviousSession(cookies.session, context, writer),
    async showErrors(context, page, work) {
      try {
        return await work();
      } catch (error) {
        return showError(show, context, page, error);
      }
    },
    redirectSignedIn: (context, token, { email, next }) => ({
      status: 303,
      headers: { Location: next },
      cookies: [
        cookies.session.set(token, SESSION_LIFE),
        ...(email === null ? [] : [known.remember(context, email)]),
      ],
      body: '',
    }),
  };
}
