import type { ManualPage } from './pages.ts';

const escape = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);

function contents(pages: readonly ManualPage[], open: ManualPage): string {
  const groups = [...new Set(pages.map((page) => page.group))].filter((group) => group !== '');
  return groups
    .map((group) => {
      const entries = pages
        .filter((page) => page.group === group)
        .map((page) => {
          const here = page.file === open.file ? ' aria-current="page"' : '';
          return `<li><a href="/manual/${page.file}"${here}>${escape(page.title)}</a></li>`;
        });
      return `<h2>${escape(group)}</h2><ul>${entries.join('')}</ul>`;
    })
    .join('');
}

/** A page of the manual: without scripts, and with nothing from anywhere else. */
export function layout(page: ManualPage, pages: readonly ManualPage[], body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escape(page.title)} – Evidence Studio manual</title>
<link rel="icon" href="/manual/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/manual/manual.css">
</head>
<body>
<a class="skip" href="#main">To the text</a>
<header><a href="/manual/index.html">Evidence Studio: manual</a> <a href="/studio">To the studio</a> <a href="/docs">API</a></header>
<nav aria-label="Contents">${contents(pages, page)}</nav>
<main id="main">
${body}
</main>
</body>
</html>
`;
}
