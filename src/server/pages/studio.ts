import { SERVER_PAGES, STUDIO_PAGES } from '../../shared/contract/page-addresses.ts';
import { ApiError } from '../context/errors.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import { principalOrigin } from '../audit/entries.ts';
import { signIn } from '../auth/sign-in.ts';
import { type Cookie, SESSION_LIFE, tokenHash } from '../auth/session.ts';
import type { Deps } from '../context/deps.ts';
import { checkAccess } from '../auth/access.ts';
import type { HttpAnswer, RequestContext } from '../context/request.ts';
import { DOCS_PATH, escapeHtml, html, plainPage } from './layout.ts';
import { type Speech, speechFor } from './text/speech.ts';
import { loginPath } from './next.ts';
import { type StudioFiles, studioPolicy } from './studio-files.ts';

const COMMAND = '<pre><code>evidence-studio sign-in</code></pre>';
/** A page of the studio that a link of an agent leads to, as the desktop's own links name it. */
function desktopLink(path: string): string | undefined {
  const [, kind, uid] = /^\/studio\/(runs|cases|profiles)\/([^/]+)$/.exec(path) ?? [];
  return kind === undefined ? undefined : `evidence-studio://${kind}/${uid}`;
}

/** `link`: the same page in the desktop application, where that serves it. */
const signInPage = ({ language, say }: Speech, link?: string): string =>
  plainPage(
    say('Sign in'),
    `<main>
<h1>${say('Sign in to Evidence Studio')}</h1>
<p>${say('This studio opens with a one-time link. On the computer that runs it, type:')}</p>
${COMMAND}
<p>${say('and open the link that it prints in this browser.')}</p>
${link === undefined ? '' : `<p><a href="${escapeHtml(link)}">${say('Open this page in the desktop application')}</a></p>`}
</main>`,
    { language },
  );
const usedPage = ({ language, say }: Speech): string =>
  plainPage(
    say('Link not valid'),
    `<main>
<h1>${say('This link cannot be used')}</h1>
<p>${say('A sign-in link works once, and for ten minutes. Print a new one on the computer that runs the studio:')}</p>
${COMMAND}
</main>`,
    { language },
  );
const notBuiltPage = ({ language, say }: Speech): string =>
  plainPage(
    say('No studio'),
    `<main>
<h1>${say('The studio is not part of this installation')}</h1>
<p>${say('The API answers as usual. {read}, or build the studio with {command}.', {
      read: `<a href="${DOCS_PATH}">${say('Read how to use it')}</a>`,
      command: '<code>npm run build</code>',
    })}</p>
</main>`,
    { language },
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
  if (files === undefined) return html(404, notBuiltPage(speechFor(context)));
  if ((await authenticator.person(context)) === undefined)
    return deps.home === 'hosted'
      ? { status: 303, headers: { Location: loginPath(context) }, body: '' }
      : html(
          401,
          signInPage(
            speechFor(context),
            deps.home === 'desktop' ? desktopLink(context.path) : undefined,
          ),
          { 'WWW-Authenticate': 'Bearer' },
        );
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
  if (context.req.method === 'HEAD' || token === null)
    return html(200, signInPage(speechFor(context)));
  const session = await signIn(deps, token, context);
  if (session === undefined) return html(410, usedPage(speechFor(context)));
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
            ...(file.policy !== undefined && { 'Content-Security-Policy': file.policy }),
          },
          body: file.bytes,
        }
      );
    },
  };
}
