import type { IHeaderComp, IHeaderParams } from 'ag-grid-community';
import { fieldKeyOf, type FieldType } from '../model/fields.ts';
import { headingMenuButton, markSorted, sortedLater } from './heading-parts.ts';
import type { Painted, Painter } from './painting.ts';
import { t } from '../../../text/t.ts';

const FILTERED = t('filtered');
const FIELD_WORDS: Record<FieldType, string> = {
  text: t('field, text'),
  number: t('field, number'),
  date: t('field, date'),
  link: t('field, link'),
};

/** Heading of a field's column: its name, and its menu. */
export function createFieldHeading(painter: Painter): new () => IHeaderComp {
  return class FieldHeading implements IHeaderComp, Painted {
    #gui = Object.assign(document.createElement('div'), { className: 'mx-plain mx-fieldhead' });
    #header!: HTMLElement;
    #column = '';
    #key = '';
    #named = '';

    init(params: IHeaderParams): void {
      this.#header = params.eGridHeader;
      this.#column = params.column.getColId();
      this.#key = fieldKeyOf(this.#column) ?? '';
      this.#gui.append(
        Object.assign(document.createElement('span'), { textContent: this.#key }),
        headingMenuButton(painter.editor, this.#column, this.#key),
      );
      painter.add(this);
      this.paint();
      sortedLater(this);
    }

    getGui(): HTMLElement {
      return this.#gui;
    }

    refresh(params: IHeaderParams): boolean {
      return params.column.getColId() === this.#column;
    }

    destroy(): void {
      painter.remove(this);
    }

    paint(): void {
      const { sort, filter } = painter.editor.store.getState();
      const { view } = painter;
      const type = view.fields[view.fieldOf(this.#column)]?.type ?? 'text';
      const isFiltered = filter.fields.some(({ key }) => key === this.#key);
      const named = [`${this.#key}, ${FIELD_WORDS[type]}`, ...(isFiltered ? [FILTERED] : [])].join(
        '; ',
      );
      if (named !== this.#named) {
        this.#named = named;
        this.#header.setAttribute('aria-label', named);
        this.#header.toggleAttribute('data-filtered', isFiltered);
      }
      const isSorted = sort.by === 'field' && sort.key === this.#key;
      markSorted(
        this.#header,
        isSorted ? (sort.descending ? 'descending' : 'ascending') : undefined,
      );
    }
  };
}
