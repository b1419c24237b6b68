import type { Editor } from '../editor/editor.ts';
import { fieldKeyOf, fieldText, memberOf } from '../model/fields.ts';
import { ruleName } from '../model/names.ts';

/** Padding, borders and a hair of room. */
const AROUND = 22;
const GAP = 8;
/** Lines that a heading has room for, and the height of a turned one in pixels. */
const HEADING_LINES = 3;
const TURNED_HEIGHT = 150;
const TURNED_LINE = 15;
/** Texts that are measured: the widest is among the longest. */
const MEASURED = 500;

type Measure = (text: string) => number;

/** The width of a text as an element of this class shows it. */
function measureAs(host: HTMLElement, className: string): Measure {
  const probe = Object.assign(document.createElement('span'), { className });
  host.append(probe);
  const { font } = getComputedStyle(probe);
  probe.remove();
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) return (text) => 7 * text.length;
  context.font = font;
  return (text) => context.measureText(text).width;
}

/** The largest width of these texts: of the longest, since a letter is not twice another. */
export function widest(texts: Iterable<string>, measure: Measure): number {
  const byLength = [...new Set(texts)].toSorted((a, b) => b.length - a.length).slice(0, MEASURED);
  return byLength.reduce((width, text) => Math.max(width, measure(text)), 0);
}

/** Wide enough for the longest word, and for the whole name in so many lines. */
export function headingWidth(name: string, measure: Measure): number {
  const words = name.split(/\s+/).map(measure);
  const longest = Math.max(0, ...words);
  return Math.max(longest, (measure(name) / HEADING_LINES) * 1.2) + AROUND;
}

export const turnedWidth = (name: string, measure: Measure): number =>
  TURNED_LINE * Math.ceil(measure(name) / TURNED_HEIGHT) + AROUND;

/** The width in which a column shows all of what it holds; undefined where it has no width. */
export function fittingWidth(
  host: HTMLElement,
  editor: Editor,
  column: string,
): number | undefined {
  const { session, store } = editor;
  const { view, compact } = store.getState();
  if (column === '#item') {
    const items = Array.from(
      { length: view.rowCount },
      (_, row) => session.items[view.storeRow(row)],
    ).filter((item) => item !== undefined);
    const label = widest(
      items.map((item) => item.label),
      measureAs(host, 'mx-item-label'),
    );
    const uid = widest(
      items.map((item) => item.item_uid),
      measureAs(host, 'mx-item-uid'),
    );
    return (label === 0 ? 0 : label + GAP) + uid + AROUND;
  }
  const key = fieldKeyOf(column);
  if (key !== undefined) {
    const texts = Array.from({ length: view.rowCount }, (_, row) =>
      fieldText(memberOf(session.items[view.storeRow(row)]?.metadata, key)),
    );
    // The name has the button of its menu beside it.
    return widest([...texts, `${key}   `], measureAs(host, 'mx-fieldvalue')) + AROUND;
  }
  if (column.startsWith('#')) return undefined;
  const measure = measureAs(host, 'mx-rule-name');
  const name = ruleName(session, column);
  return compact ? turnedWidth(name, measure) : headingWidth(name, measure);
}
