import type { ICellRendererComp, ICellRendererParams } from 'ag-grid-community';
import { recordedOf, totalOf } from '../model/states.ts';
import type { Painted, Painter, RowHandle } from './painting.ts';
import { t } from '../../../text/t.ts';

const items = new WeakMap<Element, string>();

/** The item whose row heading an element belongs to. */
export function rowHeadingOf(target: EventTarget | null): string | undefined {
  const cell = target instanceof Element ? target.closest('.mx-heading') : null;
  return cell === null ? undefined : items.get(cell);
}

/**
 * What the three pinned cells of a row share: they follow their item, and tell which item they
 * head.
 */
abstract class RowCell implements ICellRendererComp<RowHandle>, Painted {
  protected readonly gui = document.createElement('span');
  protected readonly painter: Painter;
  protected item = '';
  protected cell!: HTMLElement;

  constructor(painter: Painter) {
    this.painter = painter;
  }

  abstract paint(): void;

  init(params: ICellRendererParams<RowHandle>): void {
    this.cell = params.eGridCell;
    this.item = params.data?.item ?? '';
    items.set(this.cell, this.item);
    this.painter.add(this);
    this.paint();
  }

  getGui(): HTMLElement {
    return this.gui;
  }

  refresh(params: ICellRendererParams<RowHandle>): boolean {
    if (params.data?.item !== this.item) return false;
    this.paint();
    return true;
  }

  destroy(): void {
    this.painter.remove(this);
  }
}

type Comp = new () => ICellRendererComp<RowHandle>;

/** "3 of 12 recorded". Rows share few such figures, and a cell that is drawn looks its own up. */
const recordedWords = (() => {
  const known = new Map<string, string>();
  return (recorded: number, total: number): string => {
    const key = `${recorded}/${total}`;
    let words = known.get(key);
    if (words === undefined) {
      words = t('{recorded, number} of {total, number} recorded', { recorded, total });
      known.set(key, words);
    }
    return words;
  };
})();

/** The item's number in the case: it stays the same under a filter. */
export function createNumberCell(painter: Painter): Comp {
  return class extends RowCell {
    constructor() {
      super(painter);
      this.gui.className = 'mx-number';
    }

    paint(): void {
      const text = String(painter.editor.session.rowOf(this.item) + 1);
      if (this.gui.textContent !== text) this.gui.textContent = text;
    }
  };
}

export function createItemCell(painter: Painter): Comp {
  return class extends RowCell {
    #drawn = '';
    #selected: boolean | undefined;

    constructor() {
      super(painter);
      this.gui.className = 'mx-item';
    }

    paint(): void {
      const { session } = painter.editor;
      const stored = session.rowOf(this.item);
      const label = session.items[stored]?.label ?? '';
      if (this.#drawn !== `${label}\n`) {
        this.#drawn = `${label}\n`;
        const uid = Object.assign(document.createElement('span'), {
          className: 'mx-item-uid',
          textContent: this.item,
        });
        const name = Object.assign(document.createElement('span'), {
          className: 'mx-item-label',
          textContent: label,
        });
        this.gui.replaceChildren(...(label === '' || label === this.item ? [uid] : [name, uid]));
        this.cell.title =
          label === '' || label === this.item ? this.item : `${label}\n${this.item}`;
      }
      const row = painter.view.displayRow(stored);
      const selected = painter.rects.some(({ top, bottom }) => row >= top && row <= bottom);
      if (selected !== this.#selected) {
        this.#selected = selected;
        this.cell.toggleAttribute('data-in', selected);
      }
    }
  };
}

export function createProgressCell(painter: Painter): Comp {
  return class extends RowCell {
    #drawn = -1;
    #text = document.createElement('span');
    #fill = document.createElement('span');

    constructor() {
      super(painter);
      this.gui.className = 'mx-progress';
      this.#text.className = 'mx-progress-text';
      this.#fill.className = 'mx-bar-fill';
      const bar = document.createElement('span');
      bar.className = 'mx-bar';
      bar.append(this.#fill);
      this.gui.append(this.#text, bar);
    }

    paint(): void {
      const { session } = painter.editor;
      const stored = session.rowOf(this.item);
      if (stored < 0) return;
      const counts = session.rowCounts(stored);
      const recorded = recordedOf(counts);
      if (recorded === this.#drawn) return;
      this.#drawn = recorded;
      const total = totalOf(counts);
      this.#text.textContent = `${recorded}/${total}`;
      this.#fill.style.width = `${total === 0 ? 0 : (100 * recorded) / total}%`;
      this.gui.toggleAttribute('data-complete', recorded === total);
      this.cell.setAttribute('aria-label', `${this.item}: ${recordedWords(recorded, total)}`);
    }
  };
}
