import { STUDIO_PAGES } from '../../shared/contract/page-addresses.ts';
import type { ErrorAnswer } from '../context/errors.ts';
import { isApiPath } from '../http/api.ts';
import { addressOf, type HttpAnswer, type RequestContext } from '../context/request.ts';
import { DOCS_PATH, escapeHtml, html, plainPage } from './layout.ts';
import { type AskingBrowser, speechFor } from './text/speech.ts';

/** Whether a browser will show the answer to a person, who should get a page and not JSON. */
export function isForPerson({ path, req }: Pick<RequestContext, 'path' | 'req'>): boolean {
  return !isApiPath(path) && req.headers.accept?.includes('text/html') === true;
}

/** A page that explains a refusal and says what to do next. */
export function refusedPage(
  { id, path, search, req }: Pick<RequestContext, 'id' | 'path' | 'search'> & AskingBrowser,
  { status, code, message, headers }: ErrorAnswer,
): HttpAnswer {
  const { language, say } = speechFor({ req });
  const title = say(status === 404 ? 'There is no such page' : 'This did not work');
  const words = say(
    status === 404 ? 'The address may be mistyped, or what it led to is gone.' : message,
  );
  const [target, way] =
    code === 'csrf_failed'
      ? [addressOf({ path, search }), say('Open the page again')]
      : path.startsWith(`${DOCS_PATH}/`)
        ? [DOCS_PATH, say('To all operations of the API')]
        : [STUDIO_PAGES.projects, say('To the studio')];
  const reference =
    status < 500
      ? ''
      : `\n<p class="hint">${say('Tell whoever runs the server: {id}', { id: `<code>${escapeHtml(id)}</code>` })}</p>`;
  return html(
    status,
    plainPage(
      title,
      `<main>\n<h1>${title}</h1>\n<p>${escapeHtml(words)}</p>${reference}\n<p><a href="${escapeHtml(target)}">${way}</a></p>\n</main>`,
      { language },
    ),
    headers,
  );
}
