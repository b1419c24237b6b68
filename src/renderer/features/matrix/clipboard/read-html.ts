import { parseInert } from '../../../state/trusted-types.ts';
import {
  createTableBuilder,
  MAX_FIELDS,
  PasteRefused,
  type PastedTable,
} from '../model/pasted-table.ts';
import { t } from '../../../text/t.ts';

const textOf = (cell: HTMLTableCellElement): string =>
  (cell.textContent ?? '').replaceAll(/[ \t\r\n]+/g, ' ').trim();

/**
 * Removes the contents of these elements in one pass. A pattern that searches for an end tag from
 * every start tag would take for ever on a page that never closes one.
 */
function withoutStyleBlocks(html: string): string {
  const [opening, closing] = [/<style/gi, /<\/style>/gi];
  const parts: string[] = [];
  let at = 0;
  for (let found = opening.exec(html); found !== null; found = opening.exec(html)) {
    closing.lastIndex = found.index;
    if (closing.exec(html) === null) break;
    parts.push(html.slice(at, found.index));
    at = opening.lastIndex = closing.lastIndex;
  }
  return parts.join('') + html.slice(at);
}

/**
 * Styles and event handlers are removed: they mean nothing here and could not run, but the content
 * policy would report each of them.
 */
const withoutStyles = (html: string): string =>
  withoutStyleBlocks(html).replaceAll(/<[a-z][^<>]*>/gi, (tag) =>
    tag.replaceAll(/\s(?:style|on[a-z]+)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)/gi, ''),
  );

/**
 * The first table of a page, or undefined. Joined cells stand once, at their top left, so that what
 * follows keeps its column. Nothing in the page runs or loads.
 */
export function readHtml(html: string): PastedTable | undefined {
  const page = parseInert(withoutStyles(html));
  for (const code of page.querySelectorAll('script, template')) code.remove();
  const table = page.querySelector('table');
  if (table === null || table.rows.length === 0) return undefined;
  const builder = createTableBuilder();
  /** By column: how many rows below are still covered by a joined cell. */
  const covered: number[] = [];
  for (const row of table.rows) {
    let column = 0;
    const skip = (): void => {
      while ((covered[column] ?? 0) > 0) {
        covered[column]! -= 1;
        builder.add('');
        column += 1;
      }
    };
    for (const cell of row.cells) {
      skip();
      for (let part = 0; part < cell.colSpan; part += 1) {
        if (column >= MAX_FIELDS)
          throw new PasteRefused(t('The table of the clipboard is too wide.'));
        builder.add(part === 0 ? textOf(cell) : '');
        covered[column] = cell.rowSpan - 1;
        column += 1;
      }
    }
    skip();
    builder.endRow();
  }
  return builder.build('cells');
}
