import type { RunRecord } from '../../../../shared/domain/run.ts';
import { spokenLanguage } from '../../../text/t.ts';

/** What the page gives every element, and the file must say itself. */
const BASE = `*, *::before, *::after { box-sizing: border-box; }
:root {
  color-scheme: light;
  --font: system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif;
  --mono: ui-monospace, SFMono-Regular, 'Liberation Mono', Menlo, monospace;
}
body { margin: 0; padding: 8mm; background: #ffffff; font: 14px / 1.5 var(--font); }
h1, h2, h3, p, dl, dd, figure, ul, ol { margin: 0; padding: 0; }
code { font-family: var(--mono); }
.report { border: 0; }`;

/** Selectors of what a report is drawn with. */
const OF_REPORT = /\.(?:report|paper|fig|outcome-mark)\b|^@page/;

/** The rules of the page's own sheets that a report is drawn with, in their order. */
export function reportCss(sheets: Iterable<CSSStyleSheet>): string {
  const rules: string[] = [];
  for (const sheet of sheets)
    for (const rule of sheet.cssRules) if (OF_REPORT.test(rule.cssText)) rules.push(rule.cssText);
  return [BASE, ...rules].join('\n');
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/**
 * A report as one file that needs nothing else: its style and images are in it, it runs no script,
 * and its own policy lets it load nothing.
 */
export function reportHtml(
  markup: string,
  css: string,
  { title, run }: { title: string; run: Pick<RunRecord, 'run_uid' | 'content_hash'> },
): string {
  return `<!doctype html>
<html lang="${spokenLanguage()}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Evidence Studio">
<meta name="run" content="${escaped(run.run_uid)}">
<meta name="content-hash" content="${escaped(run.content_hash)}">
<title>${escaped(title)}</title>
<style>
${css.replaceAll('</', '<\\/')}
</style>
</head>
<body>
${markup}
</body>
</html>
`;
}
