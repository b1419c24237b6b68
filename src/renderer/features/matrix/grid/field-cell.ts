import type { ICellRendererComp, ICellRendererParams } from 'ag-grid-community';
import { getDesktop } from '../../../state/desktop.ts';
import { type FieldColumn, type FieldType, fieldText, isOdd, memberOf } from '../model/fields.ts';
import { addressOf } from '../model/reference.ts';
import { contains } from '../model/selection.ts';
import type { Painted, Painter, RowHandle } from './painting.ts';
import { paintSides } from './rule-cell.ts';
import { t } from '../../../text/t.ts';

export interface FieldPlace {
  item: string;
  /** The column's id, as a selection names it. */
  rule: string;
}

const EMPTY = t('empty');
const NOT_OF_TYPE: Record<FieldType, { title: string; label: string }> = {
  text: { title: t('Not a text'), label: t('not a text') },
  number: { title: t('Not a number'), label: t('not a number') },
  date: { title: t('Not a date'), label: t('not a date') },
  link: { title: t('Not a link'), label: t('not a link') },
};

const places = new WeakMap<Element, FieldPlace>();

/** The field of an item that an element belongs to. */
export function fieldCellOf(target: EventTarget | null): FieldPlace | undefined {
  const cell = target instanceof Element ? target.closest('.mx-fieldcell') : null;
  return cell === null ? undefined : places.get(cell);
}

/** A link that opens with Ctrl or Cmd; the desktop opens no address that came with data. */
function linkOf(text: string): HTMLElement | undefined {
  const address = getDesktop() === undefined ? addressOf(text) : undefined;
  if (address === undefined) return undefined;
  const link = Object.assign(document.createElement('a'), {
    className: 'mx-fieldlink',
    href: address,
    target: '_blank',
    rel: 'noopener noreferrer',
    tabIndex: -1,
    textContent: text,
  });
  link.addEventListener('click', (event) => {
    if (!event.ctrlKey && !event.metaKey) event.preventDefault();
  });
  return link;
}

class FieldCell implements ICellRendererComp<RowHandle>, Painted {
  readonly #painter: Painter;
  readonly #gui = Object.assign(document.createElement('span'), { className: 'mx-fieldvalue' });
  #cell!: HTMLElement;
  #place: FieldPlace = { item: '', rule: '' };
  #drawn: string | undefined;
  #marked: string | undefined;
  #copied: string | undefined;

  constructor(painter: Painter) {
    this.#painter = painter;
  }

  init(params: ICellRendererParams<RowHandle>): void {
    this.#cell = params.eGridCell;
    this.#place = { item: params.data?.item ?? '', rule: params.column?.getColId() ?? '' };
    places.set(this.#cell, this.#place);
    this.#painter.add(this);
    this.paint();
  }

  getGui(): HTMLElement {
    return this.#gui;
  }

  refresh(params: ICellRendererParams<RowHandle>): boolean {
    if (params.data?.item !== this.#place.item) return false;
    this.paint();
    return true;
  }

  destroy(): void {
    this.#painter.remove(this);
  }

  paint(): void {
    const { session } = this.#painter.editor;
    const stored = session.rowOf(this.#place.item);
    const index = this.#painter.view.fieldOf(this.#place.rule);
    const column = this.#painter.view.fields[index];
    if (stored < 0 || column === undefined) return;
    this.#paintValue(column, memberOf(session.items[stored]?.metadata, column.key));
    this.#paintSelection(this.#painter.view.displayRow(stored), index);
  }

  #paintValue({ key, type }: FieldColumn, value: unknown): void {
    const text = fieldText(value);
    const drawn = `${type} ${text}`;
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const link = type === 'link' ? linkOf(text) : undefined;
    if (link === undefined) this.#gui.textContent = text;
    else this.#gui.replaceChildren(link);
    const odd = isOdd(type, value);
    this.#cell.dataset['type'] = type;
    this.#cell.toggleAttribute('data-odd', odd);
    this.#cell.title = odd ? `${text}\n${NOT_OF_TYPE[type].title}` : text;
    this.#cell.setAttribute(
      'aria-label',
      `${this.#place.item}, ${key}: ${text === '' ? EMPTY : text}${odd ? `, ${NOT_OF_TYPE[type].label}` : ''}`,
    );
  }

  #paintSelection(row: number, index: number): void {
    const { fieldRect, copiedFields, editor } = this.#painter;
    const isIn = contains(fieldRect, row, index);
    const focus = editor.store.getState().selection?.focus;
    const isFocus = focus?.item === this.#place.item && focus.rule === this.#place.rule;
    this.#copied = paintSides(this.#cell, 'copied', copiedFields, [row, index], this.#copied);
    const marked = `${isIn} ${isFocus}`;
    if (marked === this.#marked) return;
    this.#marked = marked;
    this.#cell.setAttribute('aria-selected', String(isIn));
    this.#cell.toggleAttribute('data-in', isIn && !isFocus);
  }
}

export const createFieldCell = (painter: Painter): new () => ICellRendererComp<RowHandle> =>
  class extends FieldCell {
    constructor() {
      super(painter);
    }
  };
