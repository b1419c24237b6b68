import { protectText } from '../../../../shared/lib/spreadsheet-text.ts';
import type { MatrixSession } from '../../../data/store/port.ts';
import { type Rect, sizeOf } from '../model/selection.ts';
import type { View } from '../model/view.ts';
import { ITEM_HEADING, LABEL_HEADING } from './keys.ts';

export interface Copied {
  text: string;
  /**
   * Absent for very large copies without names: spreadsheets read plain text much faster, and
   * outcomes lose nothing in it.
   */
  html: string | undefined;
  cells: number;
  /** Rows and columns out of sight between those that were copied. */
  hiddenRows: number;
  hiddenColumns: number;
}

const HTML_CELLS = 100_000;

export const quote = (field: string): string =>
  /[\t\r\n"]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign]!);

/**
 * A cell that spreadsheets take as text, whatever it looks like: Excel by the number format, Calc
 * by sdnum.
 */
export const textCell = (text: string): string =>
  `<th style="mso-number-format:'\\@'" sdnum="1033;0;@">${escapeHtml(text)}</th>`;

function countHidden(
  first: number,
  last: number,
  storeLine: (line: number) => number,
  displayLine: (line: number) => number,
): number {
  let [low, high] = [storeLine(first), storeLine(first)];
  for (let line = first; line <= last; line += 1)
    [low, high] = [Math.min(low, storeLine(line)), Math.max(high, storeLine(line))];
  let hidden = 0;
  for (let line = low; line <= high; line += 1) if (displayLine(line) < 0) hidden += 1;
  return hidden;
}

/**
 * A block of what is shown, as spreadsheets read and write it: TRUE, FALSE, NA, and nothing for
 * unrecorded; `names` adds the uids and labels of its items and rules.
 */
export function copyBlock(rect: Rect, view: View, session: MatrixSession, names: boolean): Copied {
  const columns = Array.from({ length: rect.right - rect.left + 1 }, (_, index) =>
    view.storeColumn(rect.left + index),
  );
  const withHtml = names || sizeOf(rect) <= HTML_CELLS;
  const lines: string[] = [];
  const rows: string[] = [];
  if (names) {
    const headings = [
      ITEM_HEADING,
      LABEL_HEADING,
      ...columns.map((column) => session.rules[column] ?? ''),
    ];
    lines.push(headings.map(quote).join('\t'));
    rows.push(headings.map(textCell).join(''));
  }
  for (let row = rect.top; row <= rect.bottom; row += 1) {
    const stored = view.storeRow(row);
    const item = names ? session.items[stored] : undefined;
    const who = item === undefined ? [] : [protectText(item.item_uid), protectText(item.label)];
    const states = columns.map((column): string => session.state(stored, column) ?? '');
    lines.push([...who.map(quote), ...states].join('\t'));
    if (withHtml) rows.push(`${who.map(textCell).join('')}<td>${states.join('</td><td>')}</td>`);
  }
  // An empty last line gets a line end of its own; otherwise it would be taken for the line end
  // that spreadsheets add.
  const end = lines.at(-1) === '' ? '\n' : '';
  return {
    text: lines.join('\n') + end,
    html: withHtml
      ? `<meta charset="utf-8"><table><tr>${rows.join('</tr><tr>')}</tr></table>`
      : undefined,
    cells: sizeOf(rect),
    hiddenRows: countHidden(rect.top, rect.bottom, view.storeRow, view.displayRow),
    hiddenColumns: countHidden(rect.left, rect.right, view.storeColumn, view.displayColumn),
  };
}
