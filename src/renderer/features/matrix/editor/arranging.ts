import type { Display } from '../model/display.ts';
import { ruleName } from '../model/names.ts';
import { carryOver } from '../model/selection.ts';
import { sortWords } from '../model/sort.ts';
import type { View } from '../model/view.ts';
import type { Parts } from './cursor.ts';
import type { Editor } from './editor.ts';
import { t } from '../../../text/t.ts';

export interface Arranging extends Pick<
  Editor,
  'arrange' | 'setFilter' | 'setSort' | 'applyAgain'
> {
  /** Evidence or items have changed; null: anything may have. */
  onTouched(touched: readonly { row: number; column: number }[] | null): void;
}

/** Which rows and columns are shown, and in which order. */
export function createArranging(
  { session, store, grid, announce }: Parts,
  display: Display,
): Arranging {
  const get = store.getState;
  let items = session.items;
  const show = (view: View, draw: 'setRows' | 'setColumns'): void => {
    const { view: before, selection } = get();
    store.setState({ view, selection: carryOver(selection, before, view) });
    grid.port?.[draw]();
    grid.port?.paint();
  };
  const applyAgain = (): void => {
    store.setState({ stale: false });
    show(display.apply(get()), 'setRows');
  };
  const arrange: Editor['arrange'] = (change) => {
    store.setState({ ...change, copied: null });
    if (change.filter === undefined && change.sort === undefined)
      show(display.layOut(get(), get().view), 'setColumns');
    else {
      applyAgain();
      if (change.columns !== undefined) grid.port?.setColumns();
    }
  };
  return {
    arrange,
    applyAgain,
    setFilter: (filter) => {
      arrange({ filter });
      announce(
        t('{shown, plural, one {# item} other {# items}} of {all, number} shown', {
          shown: get().view.rowCount,
          all: session.items.length,
        }),
      );
    },
    setSort: (sort) => {
      arrange({ sort });
      announce(
        t('Items sorted: {sort}', { sort: sortWords(sort, (rule) => ruleName(session, rule)) }),
      );
    },
    onTouched: (touched) => {
      if (session.items !== items) {
        items = session.items;
        show(display.follow(get(), get().view), 'setRows');
      } else grid.port?.paint();
      const { stale, view } = get();
      if (!stale && display.isStale(get(), view, touched)) store.setState({ stale: true });
    },
  };
}
