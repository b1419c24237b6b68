import type { IHeaderComp, IHeaderParams } from 'ag-grid-community';
import { formatCount } from '../../../state/format.ts';
import { type Counts, STATE_KEYS, totalOf, withMeaning } from '../model/states.ts';
import { headingMenuButton, markSorted, sortedLater } from './heading-parts.ts';
import type { Painted, Painter } from './painting.ts';
import { t } from '../../../text/t.ts';

const rules = new WeakMap<Element, string>();

/** The rule whose column heading an element belongs to. */
export function headingOf(
  target: EventTarget | null,
): { rule: string; element: HTMLElement } | undefined {
  const element = target instanceof Element ? target.closest<HTMLElement>('.ag-header-cell') : null;
  const rule = element === null ? undefined : rules.get(element);
  return element === null || rule === undefined ? undefined : { rule, element };
}

/** The heading of a column, while it is in the document. */
export const headingIn = (host: HTMLElement, column: string): HTMLElement | null =>
  host.querySelector<HTMLElement>(`.ag-header-cell[col-id="${CSS.escape(column)}"]`);

const span = (className: string, textContent = ''): HTMLSpanElement =>
  Object.assign(document.createElement('span'), { className, textContent });

const SORTED = { TRUE: 'descending', FALSE: 'ascending', unrecorded: 'other' } as const;
const sortedWords = (outcome: keyof typeof SORTED): string =>
  t('sorted, {outcome} first', { outcome: withMeaning(outcome) });
// A heading is painted with every move of the selection: its words are made once.
const SORTED_WORDS: Record<keyof typeof SORTED, string> = {
  TRUE: sortedWords('TRUE'),
  FALSE: sortedWords('FALSE'),
  unrecorded: sortedWords('unrecorded'),
};
const [FILTERED, FROZEN] = [t('filtered'), t('frozen')];

/**
 * The rule's place in the profile (also the handle to move the column), its name, its menu, and how
 * its cells are shared out.
 */
class RuleHeading implements IHeaderComp, Painted {
  readonly #painter: Painter;
  #gui = span('mx-rule');
  #shares = STATE_KEYS.map((state) => {
    const share = span('mx-share-part');
    share.dataset['state'] = state;
    return share;
  });
  #header!: HTMLElement;
  #rule = '';
  #name = '';
  #column = -1;
  #drawn = '';
  #named = '';
  #selected: boolean | undefined;

  constructor(painter: Painter) {
    this.#painter = painter;
  }

  init(params: IHeaderParams): void {
    const { editor } = this.#painter;
    this.#rule = params.column.getColId();
    this.#name = params.displayName;
    this.#header = params.eGridHeader;
    this.#column = editor.session.columnOf(this.#rule);
    rules.set(this.#header, this.#rule);
    const top = span('mx-rule-top');
    const grip = Object.assign(span('mx-rule-grip', String(this.#column + 1)), {
      ariaHidden: 'true',
      title: t('Drag to move the rule'),
    });
    top.append(grip, headingMenuButton(editor, this.#rule, this.#name));
    const bar = Object.assign(span('mx-shares'), { ariaHidden: 'true' });
    bar.append(...this.#shares);
    this.#gui.append(top, span('mx-rule-name', this.#name), bar);
    this.#painter.add(this);
    this.paint();
    sortedLater(this);
  }

  getGui(): HTMLElement {
    return this.#gui;
  }

  refresh(params: IHeaderParams): boolean {
    return params.column.getColId() === this.#rule;
  }

  destroy(): void {
    this.#painter.remove(this);
  }

  paint(): void {
    const { editor, view, rects } = this.#painter;
    const counts = editor.session.columnCounts(this.#column);
    const drawn = counts.join(' ');
    if (drawn !== this.#drawn) {
      this.#drawn = drawn;
      this.#drawShares(counts);
    }
    this.#paintName(counts);
    const column = view.displayColumn(this.#column);
    const selected = rects.some(({ left, right }) => column >= left && column <= right);
    if (selected !== this.#selected) {
      this.#selected = selected;
      this.#header.toggleAttribute('data-in', selected);
    }
  }

  #paintName(counts: Counts): void {
    const { sort, filter, columns } = this.#painter.editor.store.getState();
    const sorted = sort.by === 'rule' && sort.rule === this.#rule ? sort.first : undefined;
    const filtered = filter.rules.some(({ rule }) => rule === this.#rule);
    const frozen = columns.frozen.includes(this.#rule);
    const words = [
      `${this.#name}: ${STATE_KEYS.map((state, index) => `${formatCount(counts[index] ?? 0)} ${withMeaning(state)}`).join(', ')}`,
      sorted === undefined ? '' : SORTED_WORDS[sorted],
      filtered ? FILTERED : '',
      frozen ? FROZEN : '',
    ];
    const named = words.filter((part) => part !== '').join('; ');
    if (named !== this.#named) {
      this.#named = named;
      this.#header.setAttribute('aria-label', named);
      this.#header.toggleAttribute('data-filtered', filtered);
      this.#header.toggleAttribute('data-frozen', frozen);
    }
    markSorted(this.#header, sorted === undefined ? undefined : SORTED[sorted]);
  }

  #drawShares(counts: Counts): void {
    const total = totalOf(counts);
    this.#shares.forEach((share, index) => {
      share.style.width = `${total === 0 ? 0 : (100 * (counts[index] ?? 0)) / total}%`;
    });
  }
}

export const createRuleHeading = (painter: Painter): new () => IHeaderComp =>
  class extends RuleHeading {
    constructor() {
      super(painter);
    }
  };
