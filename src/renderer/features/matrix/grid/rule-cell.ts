import type { ICellRendererComp, ICellRendererParams } from 'ag-grid-community';
import { contains, isSelected, type Rect, sizeOf } from '../model/selection.ts';
import { cellLabel, STATE_WORDS, stateKey } from '../model/states.ts';
import { markKey } from '../editor/news.ts';
import { t } from '../../../text/t.ts';
import type { Painted, Painter, RowHandle } from './painting.ts';

const views = new WeakMap<Element, { item: string; rule: string }>();

/** The cell of the matrix that an element belongs to. */
export function ruleCellOf(target: EventTarget | null): { item: string; rule: string } | undefined {
  const cell = target instanceof Element ? target.closest('.mx-cell') : null;
  return cell === null ? undefined : views.get(cell);
}

/** One cell alone shows by its focus. */
const isRange = ([rect, ...others]: readonly Rect[]): boolean =>
  others.length > 0 || (rect !== undefined && sizeOf(rect) > 1);

const sides = (isOpen: (down: number, right: number) => boolean): string =>
  `${isOpen(-1, 0) ? 't' : ''}${isOpen(0, 1) ? 'r' : ''}${isOpen(1, 0) ? 'b' : ''}${isOpen(0, -1) ? 'l' : ''}`;

/**
 * Sides of all that is selected that this cell forms, as letters for the stylesheet; undefined
 * where it is not part of a range.
 */
function edges({ rects }: Painter, row: number, column: number): string | undefined {
  if (!isRange(rects) || !isSelected(rects, row, column)) return undefined;
  return sides((down, right) => !isSelected(rects, row + down, column + right));
}

/** Marks the sides of a rectangle that this cell forms; answers what was marked. */
export function paintSides(
  cell: HTMLElement,
  name: 'fill' | 'copied',
  rect: Rect | null,
  [row, column]: readonly [number, number],
  before: string | undefined,
): string | undefined {
  const now = contains(rect, row, column)
    ? sides((down, right) => !contains(rect, row + down, column + right))
    : undefined;
  if (now === before) return now;
  if (now === undefined) delete cell.dataset[name];
  else cell.dataset[name] = now;
  return now;
}

/**
 * One cell: the mark inside, and everything that the grid leaves out of the gridcell itself (name,
 * selection, state).
 */
class RuleCell implements ICellRendererComp<RowHandle>, Painted {
  readonly #painter: Painter;
  readonly #handle: HTMLElement;
  #mark = document.createElement('span');
  /** Replaced in place, which costs the browser less than another node. */
  #letter = document.createTextNode('');
  #cell!: HTMLElement;
  #item = '';
  #rule = '';
  #column = -1;
  #drawn = '';
  #edges: string | undefined;
  #selected: boolean | undefined;
  #fill: string | undefined;
  #copied: string | undefined;
  #changedBy: string | undefined;

  constructor(painter: Painter, handle: HTMLElement) {
    this.#painter = painter;
    this.#handle = handle;
  }

  init(params: ICellRendererParams<RowHandle>): void {
    this.#cell = params.eGridCell;
    this.#item = params.data?.item ?? '';
    this.#rule = params.column?.getColId() ?? '';
    this.#column = this.#painter.editor.session.columnOf(this.#rule);
    this.#mark.className = 'outcome-mark';
    this.#mark.append(this.#letter);
    views.set(this.#cell, { item: this.#item, rule: this.#rule });
    this.#painter.add(this);
    this.paint();
  }

  getGui(): HTMLElement {
    return this.#mark;
  }

  refresh(params: ICellRendererParams<RowHandle>): boolean {
    if (params.data?.item !== this.#item) return false;
    this.paint();
    return true;
  }

  destroy(): void {
    this.#painter.remove(this);
  }

  paint(): void {
    const stored = this.#painter.editor.session.rowOf(this.#item);
    // Its item has just gone; the grid takes the row away in a moment.
    if (stored < 0) return;
    this.#paintState(stored);
    this.#paintNews();
    const row = this.#painter.view.displayRow(stored);
    const column = this.#painter.view.displayColumn(this.#column);
    this.#paintSelection(row, column);
    this.#fill = paintSides(this.#cell, 'fill', this.#painter.fill, [row, column], this.#fill);
    this.#copied = paintSides(
      this.#cell,
      'copied',
      this.#painter.copied,
      [row, column],
      this.#copied,
    );
  }

  #paintState(stored: number): void {
    const { session } = this.#painter.editor;
    const state = session.state(stored, this.#column);
    const contested = session.contested(stored, this.#column);
    const noted = session.detail(stored, this.#column).notes !== null;
    const drawn = `${state}${contested ? '!' : ''}${noted ? '*' : ''}`;
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const key = stateKey(state);
    this.#mark.dataset['state'] = key;
    this.#letter.data = STATE_WORDS[key].letter;
    this.#cell.toggleAttribute('data-contested', contested);
    this.#cell.toggleAttribute('data-noted', noted);
    this.#cell.setAttribute('aria-label', cellLabel(this.#item, this.#rule, state, contested));
  }

  /** Somebody else has just changed it. */
  #paintNews(): void {
    const { marks } = this.#painter.editor.store.getState();
    const by =
      marks.size === 0 ? undefined : marks.get(markKey({ item: this.#item, rule: this.#rule }))?.by;
    if (by === this.#changedBy) return;
    this.#changedBy = by;
    this.#cell.toggleAttribute('data-news', by !== undefined);
    if (by === undefined) this.#cell.removeAttribute('title');
    else this.#cell.title = t('Just changed by {by}', { by });
  }

  #paintSelection(row: number, column: number): void {
    const painter = this.#painter;
    const selected = isSelected(painter.rects, row, column);
    if (selected !== this.#selected) {
      this.#selected = selected;
      this.#cell.setAttribute('aria-selected', String(selected));
    }
    const edge = edges(painter, row, column);
    if (edge !== this.#edges) {
      this.#edges = edge;
      if (edge === undefined || edge === '') delete this.#cell.dataset['edge'];
      else this.#cell.dataset['edge'] = edge;
      this.#cell.toggleAttribute('data-range', edge !== undefined);
    }
    if (painter.handle?.row === row && painter.handle.column === column)
      this.#cell.append(this.#handle);
    else if (this.#handle.parentElement === this.#cell) this.#handle.remove();
  }
}

/** The component of a grid's cells, which share one fill handle. */
export function createRuleCell(painter: Painter): new () => ICellRendererComp<RowHandle> {
  const handle = Object.assign(document.createElement('span'), {
    className: 'mx-handle',
    ariaHidden: 'true',
  });
  return class extends RuleCell {
    constructor() {
      super(painter, handle);
    }
  };
}
