/** Text for HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

export const PLAIN_CSP = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
export const HTML_TYPE = 'text/html; charset=utf-8';
export const STYLE_PATH = '/docs/style.css';

/** A page without scripts: sign-in, documentation, the odd sentence. `body` is HTML. */
export function plainPage(title: string, body: string, wide = false): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Evidence Studio</title>
<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body${wide ? ' class="wide"' : ''}>
${body}
</body>
</html>
`;
}
