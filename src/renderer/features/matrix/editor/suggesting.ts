import type { CellState } from '../../../../shared/domain/outcome.ts';
import type { CellAddress } from '../../../data/store/port.ts';
import { blocksOf, type Selection } from '../model/selection.ts';
import { STATE_WORDS, stateKey } from '../model/states.ts';
import { notify } from './editor-state.ts';
import type { Surroundings } from './recording.ts';
import { showFailure } from './storing.ts';
import { t } from '../../../text/t.ts';

const cellsOf = (...where: Parameters<typeof blocksOf>): CellAddress[] =>
  blocksOf(...where).flatMap(({ items, rules }) =>
    items.flatMap((item) => rules.map((rule) => ({ item, rule }))),
  );

/** Withdraws what `suggestSelected` suggested where these cells were selected. */
export async function withdrawSuggested(
  { session, store }: Pick<Surroundings, 'session' | 'store'>,
  selection: Selection,
  state: NonNullable<CellState>,
): Promise<void> {
  await session.suggest(cellsOf(selection, store.getState().view, state), state, true);
}

/** Suggests an outcome for every selected cell and says so. Nothing recorded changes. */
export async function suggestSelected(
  { session, store }: Surroundings,
  state: NonNullable<CellState>,
): Promise<false> {
  const { selection, view } = store.getState();
  if (selection === null) return false;
  const cells = cellsOf(selection, view, state);
  const outcome = STATE_WORDS[stateKey(state)].full;
  try {
    const { suggested } = await session.suggest(cells, state);
    notify(
      store,
      suggested === 0
        ? t('Nothing to suggest: {outcome} is recorded.', { outcome })
        : t(
            'Suggested, not recorded, since the case is approved: {outcome}, {suggested, plural, one {# cell} other {# cells}}.',
            { outcome, suggested },
          ),
    );
  } catch (error) {
    showFailure(store, t('Not suggested'), error);
  }
  return false;
}
