import type { CellState } from '../../../../shared/domain/outcome.ts';
import { blocksOf } from '../model/selection.ts';
import { STATE_WORDS, stateKey } from '../model/states.ts';
import { notify } from './editor-state.ts';
import type { Surroundings } from './recording.ts';
import { showFailure } from './storing.ts';
import { t } from '../../../text/t.ts';

/** Suggests an outcome for every selected cell and says so. Nothing recorded changes. */
export async function suggestSelected(
  { session, store }: Surroundings,
  state: NonNullable<CellState>,
): Promise<false> {
  const { selection, view } = store.getState();
  if (selection === null) return false;
  const cells = blocksOf(selection, view, state).flatMap(({ items, rules }) =>
    items.flatMap((item) => rules.map((rule) => ({ item, rule }))),
  );
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
