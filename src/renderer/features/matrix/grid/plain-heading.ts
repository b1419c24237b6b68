import type { IHeaderComp, IHeaderParams } from 'ag-grid-community';
import type { Sort } from '../model/sort.ts';
import { headingMenuButton, markSorted, sortedLater } from './heading-parts.ts';
import type { Painted, Painter } from './painting.ts';

/** Which way the items are sorted by what stands under one of the three fixed columns. */
function sortOf(sort: Sort, column: string): 'ascending' | 'descending' | undefined {
  if (sort.by === 'case') return column === '#' ? 'ascending' : undefined;
  if (
    sort.by === 'rule' ||
    sort.by === 'field' ||
    (sort.by === 'progress') !== (column === '#progress') ||
    column === '#'
  )
    return undefined;
  return sort.descending ? 'descending' : 'ascending';
}

/** Heading of the number, the item or the share recorded. */
export function createPlainHeading(painter: Painter): new () => IHeaderComp {
  return class PlainHeading implements IHeaderComp, Painted {
    #gui = Object.assign(document.createElement('div'), { className: 'mx-plain' });
    #header!: HTMLElement;
    #column = '';

    init(params: IHeaderParams): void {
      this.#header = params.eGridHeader;
      this.#column = params.column.getColId();
      this.#gui.append(
        Object.assign(document.createElement('span'), { textContent: params.displayName }),
      );
      if (this.#column !== '#') {
        this.#gui.append(headingMenuButton(painter.editor, this.#column, params.displayName));
        // The button would be read out as part of the heading.
        this.#header.setAttribute('aria-label', params.displayName);
      }
      painter.add(this);
      this.paint();
      sortedLater(this);
    }

    getGui(): HTMLElement {
      return this.#gui;
    }

    refresh(): boolean {
      return true;
    }

    destroy(): void {
      painter.remove(this);
    }

    paint(): void {
      markSorted(this.#header, sortOf(painter.editor.store.getState().sort, this.#column));
    }
  };
}
