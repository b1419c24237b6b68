import { SERVER_PAGES, STUDIO_PAGES } from '../../shared/contract/page-addresses.ts';
import { ApiError } from '../context/errors.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import { principalOrigin } from '../audit/entries.ts';
import { signIn } from '../auth/sign-in.ts';
import { type Cookie, SESSION_LIFE, tokenHash } from '../auth/session.ts';
import type { Deps } from '../context/deps.ts';
import { checkAccess } from '../auth/access.ts';
import type { HttpAnswer, RequestContext } from '../context/request.ts';
import { DOCS_PATH, html, plainPage } from './layout.ts';
import { loginPath } from './next.ts';
import { type StudioFiles, studioPolicy, WORKER_PATH, WORKER_POLICY } from './studio-files.ts';

const SIGN_IN_PAGE = plainPage(
  'Sign in',
  `<main>
<h1>Sign in to Evidence Studio</h1>
<p>This studio opens with a one-time link. On the computer that runs it, type:</p>
<pre><code>evidence-studio sign-in</code></pre>
<p>and open the link that it prints in this browser.</p>
</main>`,
);
const USED_PAGE = plainPage(
  'Link not valid',
  `<main>
<h1>This link cannot be used</h1>
<p>A sign-in link works once, and for ten minutes. Print a new one on the computer that runs the studio:</p>
<pre><code>evidence-studio sign-in</code></pre>
</main>`,
);
const NOT_BUILT_PAGE = plainPage(
  'No studio',
  `<main>
<h1>The studio is not part of this installation</h1>
<p>The API answers as usual. <a href="${DOCS_PATH}">Read how to use it</a>, or build the studio with <code>npm run build</code>.</p>
</main>`,
);

export interface StudioPages {
  page(context: RequestContext): Promise<HttpAnswer>;
  signIn(context: RequestContext): Promise<HttpAnswer>;
  signOut(context: RequestContext): Promise<HttpAnswer>;
  /** A built file, or undefined. */
  file(context: RequestContext): Promise<HttpAnswer | undefined>;
}

interface StudioParts {
  deps: Deps;
  authenticator: Authenticator;
  cookie: Cookie;
}

async function showStudio(
  { deps, authenticator }: StudioParts,
  context: RequestContext,
  files: StudioFiles | undefined,
): Promise<HttpAnswer> {
  if (files === undefined) return html(404, NOT_BUILT_PAGE);
  if ((await authenticator.person(context)) === undefined)
    return deps.home === 'hosted'
      ? { status: 303, headers: { Location: loginPath(context) }, body: '' }
      : html(401, SIGN_IN_PAGE, { 'WWW-Authenticate': 'Bearer' });
  const nonce = Buffer.from(deps.random.bytes(18)).toString('base64');
  const page = await files.page(nonce, deps.home);
  return {
    status: 200,
    headers: { 'Content-Type': page.type, 'Content-Security-Policy': studioPolicy(nonce) },
    body: page.bytes,
  };
}

async function answerSignIn(
  { deps, cookie }: StudioParts,
  context: RequestContext,
): Promise<HttpAnswer> {
  const token = new URLSearchParams(context.search).get('token');
  // Looking at a link does not use it up.
  if (context.req.method === 'HEAD' || token === null) return html(200, SIGN_IN_PAGE);
  const session = await signIn(deps, token, context);
  if (session === undefined) return html(410, USED_PAGE);
  return {
    status: 303,
    headers: { Location: STUDIO_PAGES.projects, 'Set-Cookie': cookie.set(session, SESSION_LIFE) },
    body: '',
  };
}

async function answerSignOut(
  { deps, authenticator, cookie }: StudioParts,
  context: RequestContext,
): Promise<HttpAnswer> {
  const principal = await authenticator.person(context);
  if (principal === undefined) throw new ApiError('missing_credentials');
  checkAccess(context, principal, { access: 'session', role: 'viewer' });
  const hash = tokenHash(cookie.read(context.req.headers.cookie) ?? '');
  if (hash !== undefined)
    await deps.store.transact(async (writer) => {
      await writer.sessionWrites.remove(hash);
      writer.audit.by(principalOrigin(principal, context));
      writer.audit.add({ action: 'sign_out.done', object: principal.actor.user_id });
    });
  return {
    status: 303,
    headers: {
      Location: deps.home === 'hosted' ? SERVER_PAGES.login : STUDIO_PAGES.projects,
      'Set-Cookie': cookie.clear(),
    },
    body: '',
  };
}

export function createStudioPages(
  deps: Deps,
  authenticator: Authenticator,
  cookie: Cookie,
  files: StudioFiles | undefined,
): StudioPages {
  const parts: StudioParts = { deps, authenticator, cookie };
  return {
    page: (context) => showStudio(parts, context, files),
    signIn: (context) => answerSignIn(parts, context),
    signOut: (context) => answerSignOut(parts, context),
    async file(context) {
      const file = await files?.file(context.path);
      return (
        file && {
          status: 200,
          headers: {
            'Content-Type': file.type,
            ...(context.path === WORKER_PATH && { 'Content-Security-Policy': WORKER_POLICY }),
          },
          body: file.bytes,
        }
      );
    },
  };
}
