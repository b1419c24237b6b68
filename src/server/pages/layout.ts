import { SERVER_PAGES } from '../../shared/contract/page-addresses.ts';
import type { Language } from '../../shared/lib/languages.ts';
import type { HttpAnswer } from '../context/request.ts';

/** Text for HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

export const PLAIN_CSP =
  "default-src 'none'; style-src 'self'; base-uri 'none'; " +
  "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
  "trusted-types 'none'";
/** Of a page with a script of its own. */
export const SCRIPT_CSP = `${PLAIN_CSP}; script-src 'self'`;
export const HTML_TYPE = 'text/html; charset=utf-8';
export const DOCS_PATH = SERVER_PAGES.docs;
export const STYLE_PATH = `${DOCS_PATH}/style.css`;

/**
 * An answer that is a page. Under the referrer policy of the other answers, a browser would send
 * the page's forms with `Origin: null`, which is refused.
 */
export function html(
  status: number,
  page: string,
  headers: Record<string, string> = {},
): HttpAnswer {
  return {
    status,
    headers: {
      'Content-Type': HTML_TYPE,
      'Content-Security-Policy': PLAIN_CSP,
      'Referrer-Policy': 'same-origin',
      ...headers,
    },
    body: page,
  };
}

export const MARK =
  '<svg viewBox="0 0 20 20" width="24" height="24" aria-hidden="true">' +
  '<rect x="1" y="1" width="8" height="8" rx="1.5" class="mark-false"/>' +
  '<rect x="11" y="1" width="8" height="8" rx="1.5" class="mark-false"/>' +
  '<rect x="1" y="11" width="8" height="8" rx="1.5" class="mark-true"/>' +
  '<rect x="11.75" y="11.75" width="6.5" height="6.5" rx="1" class="mark-open"/></svg>';

/** A page without scripts: sign-in, documentation, error messages. `body` is HTML. */
export function plainPage(
  title: string,
  body: string,
  {
    wide = false,
    script,
    language = 'en',
  }: { wide?: boolean; script?: string | undefined; language?: Language } = {},
): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Evidence Studio</title>
<link rel="stylesheet" href="${STYLE_PATH}">${script === undefined ? '' : `\n<script src="${script}" defer></script>`}
</head>
<body${wide ? ' class="wide"' : ''}>
${wide ? '' : `<header class="brand">${MARK}Evidence Studio</header>\n`}${body}
</body>
</html>
`;
}
