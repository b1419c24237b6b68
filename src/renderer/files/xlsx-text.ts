/**
 * How spreadsheets write characters that XML cannot hold: `_x000D_`. A text that looks like that by
 * itself gets its underscore written so.
 */
const CODED = /_x([0-9A-Fa-f]{4})_/g;
/** No XML characters, line ends that an XML reader would change, and what looks like a code. */
const TO_CODE = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g;

export const fromXlsxText = (text: string): string =>
  text.includes('_x')
    ? text.replace(CODED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;

const code = (sign: string): string =>
  `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;

export function toXlsxText(text: string): string {
  return text
    .replace(TO_CODE, code)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
