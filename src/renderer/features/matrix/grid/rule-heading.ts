import type { IHeaderComp, IHeaderParams } from 'ag-grid-community';
import { recordedOf, totalOf } from '../states.ts';
import type { Painted, Painter } from './painting.ts';

const rules = new WeakMap<Element, string>();

/** The rule whose column heading an element belongs to. */
export function headingOf(target: EventTarget | null): { rule: string; element: HTMLElement } | undefined {
  const element = target instanceof Element ? target.closest<HTMLElement>('.ag-header-cell') : null;
  const rule = element === null ? undefined : rules.get(element);
  return element === null || rule === undefined ? undefined : { rule, element };
}

export function createRuleHeading(painter: Painter): new () => IHeaderComp {
  const { session } = painter.editor;
  return class RuleHeading implements IHeaderComp, Painted {
    #gui = document.createElement('div');
    #fill = document.createElement('span');
    #header!: HTMLElement;
    #column = -1;
    #drawn = -1;
    #selected: boolean | undefined;

    init(params: IHeaderParams): void {
      const uid = params.column.getColId();
      this.#header = params.eGridHeader;
      this.#column = session.columnOf(uid);
      rules.set(this.#header, uid);
      const order = Object.assign(document.createElement('span'), { className: 'mx-rule-order', textContent: String(this.#column + 1), ariaHidden: 'true' });
      const name = Object.assign(document.createElement('span'), { className: 'mx-rule-name', textContent: params.displayName });
      const bar = Object.assign(document.createElement('span'), { className: 'mx-bar', ariaHidden: 'true' });
      this.#fill.className = 'mx-bar-fill';
      this.#gui.className = 'mx-rule';
      bar.append(this.#fill);
      this.#gui.append(order, name, bar);
      painter.add(this);
      this.paint();
    }

    getGui(): HTMLElement {
      return this.#gui;
    }

    refresh(): boolean {
      return false;
    }

    destroy(): void {
      painter.remove(this);
    }

    paint(): void {
      const counts = session.columnCounts(this.#column);
      const recorded = recordedOf(counts);
      const total = totalOf(counts);
      const share = total === 0 ? 0 : (100 * recorded) / total;
      if (share !== this.#drawn) {
        this.#drawn = share;
        this.#fill.style.width = `${share}%`;
      }
      const column = painter.view.displayColumn(this.#column);
      const selected = painter.rects.some(({ left, right }) => column >= left && column <= right);
      if (selected !== this.#selected) {
        this.#selected = selected;
        this.#header.toggleAttribute('data-in', selected);
      }
    }
  };
}
