import type { Editor } from '../editor/editor.ts';
import { rowHeadingOf } from './row-cells.ts';
import { ruleCellOf } from './rule-cell.ts';
import { t } from '../../../text/t.ts';
import { itemsAsValues } from '../rows/rows.ts';

/** Distance from the border from which a drag scrolls, and the farthest it goes in a frame. */
const EDGE = 30;
const STEP = 48;

/** Where rows would go: before a row, null for the end, undefined for nowhere. */
type BeforeRow = string | null | undefined;

/** Rows under way, with a line where they would stand. */
export interface MovingRows {
  isMoving(): boolean;
  before(): BeforeRow;
  /** The pointer has these rows, at this height of the window. */
  follow(uids: readonly string[], y: number): void;
  end(): void;
}

export function createMovingRows(field: HTMLElement, editor: Editor): MovingRows {
  let move: { uids: readonly string[]; y: number; before: BeforeRow } | undefined;
  let frame = 0;
  let words = '';
  const viewport = (): HTMLElement | null =>
    field.querySelector<HTMLElement>('[role=grid], [role=treegrid]');
  const line = createDropLine(field, viewport);
  const place = (): void => {
    const element = viewport();
    if (move === undefined || element === null) return;
    const target = targetAt(field, editor, line.element, element.getBoundingClientRect(), move.y);
    move.before = target?.before;
    line.show(target?.y, words);
  };
  const scroll = (): void => {
    const element = viewport();
    if (move === undefined || element === null) return;
    const by = scrollBy(field, element, move.y);
    if (by !== 0) {
      element.scrollBy(0, by);
      place();
    }
    frame = requestAnimationFrame(scroll);
  };
  const begin = (uids: readonly string[]): void => {
    field.append(line.element);
    field.dataset['moving'] = '';
    const values = itemsAsValues(editor, uids);
    words = t('{count, plural, =1 {Move {name}} other {Move # items}}', values);
    editor.announce(
      t(
        '{count, plural, =1 {Moving {name}} other {Moving # items}}. Escape leaves them where they are.',
        values,
      ),
    );
    frame = requestAnimationFrame(scroll);
  };
  return {
    isMoving: () => move !== undefined,
    before: () => move?.before,
    follow: (uids, y) => {
      const isFirst = move === undefined;
      move = { uids, y, before: move?.before };
      if (isFirst) begin(uids);
      place();
    },
    end: () => {
      cancelAnimationFrame(frame);
      line.element.remove();
      delete field.dataset['moving'];
      move = undefined;
    },
  };
}

function scrollBy(field: HTMLElement, element: HTMLElement, y: number): number {
  const box = element.getBoundingClientRect();
  const top = field.querySelector('.ag-header')?.getBoundingClientRect().bottom ?? box.top;
  if (y < top + EDGE) return Math.max(-STEP, y - top - EDGE);
  return y > box.bottom - EDGE ? Math.min(STEP, y - box.bottom + EDGE) : 0;
}

/** Before which row a height of the window is, and where the line for that is drawn. */
function targetAt(
  field: HTMLElement,
  editor: Editor,
  line: HTMLElement,
  box: DOMRect,
  height: number,
): { before: string | null; y: number } | undefined {
  const { view } = editor.store.getState();
  const y = Math.min(Math.max(height, box.top + 1), box.bottom - 2);
  // Along the left border there are rows at every height, whatever the pointer is over.
  const under = document.elementsFromPoint(box.left + 8, y).find((element) => element !== line);
  const item = rowHeadingOf(under ?? null) ?? ruleCellOf(under ?? null)?.item;
  const row = under?.closest('.ag-row')?.getBoundingClientRect();
  const at = item === undefined ? -1 : view.rowOf(item);
  if (at < 0 || row === undefined) {
    const last = [...field.querySelectorAll('.ag-row')]
      .map((element) => element.getBoundingClientRect().bottom)
      .reduce((a, b) => Math.max(a, b), 0);
    return last > 0 && y >= last ? { before: null, y: last } : undefined;
  }
  return y > row.top + row.height / 2
    ? { before: editor.session.items[view.storeRow(at) + 1]?.item_uid ?? null, y: row.bottom }
    : { before: view.itemAt(at), y: row.top };
}

function createDropLine(
  field: HTMLElement,
  viewport: () => HTMLElement | null,
): { element: HTMLElement; show(y: number | undefined, text: string): void } {
  const element = Object.assign(document.createElement('div'), {
    className: 'mx-drop',
    ariaHidden: 'true',
  });
  const words = Object.assign(document.createElement('span'), { className: 'mx-drop-words' });
  element.append(words);
  return {
    element,
    show: (y, text) => {
      const frame = field.getBoundingClientRect();
      const box = viewport()?.getBoundingClientRect();
      element.hidden = y === undefined;
      if (y === undefined || box === undefined) return;
      element.style.top = `${Math.round(y - frame.top - 1.5)}px`;
      element.style.left = `${Math.round(box.left - frame.left)}px`;
      element.style.width = `${Math.round(box.width)}px`;
      words.textContent = text;
    },
  };
}
