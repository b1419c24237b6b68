import type { CellState } from '../../../../shared/domain/outcome.ts';
import type { Edit } from '../../../data/store/port.ts';
import { blocksOf, type Selection } from '../model/selection.ts';
import { STATE_WORDS, stateKey } from '../model/states.ts';
import { notify } from './editor-state.ts';
import type { Surroundings } from './recording.ts';
import { showFailure } from './storing.ts';
import { t } from '../../../text/t.ts';

type Suggesting = Pick<Surroundings, 'session' | 'store'>;

/** Withdraws what `suggestSelected` suggested where these cells were selected. */
export async function withdrawSuggested(
  { session, store }: Suggesting,
  selection: Selection,
  state: NonNullable<CellState>,
): Promise<void> {
  await session.suggest({ blocks: blocksOf(selection, store.getState().view, state) }, true);
}

/** Suggests an outcome for every selected cell and says so. Nothing recorded changes. */
export async function suggestSelected(
  { session, store }: Suggesting,
  state: NonNullable<CellState>,
): Promise<false> {
  const { selection, view } = store.getState();
  if (selection === null) return false;
  const outcome = STATE_WORDS[stateKey(state)].full;
  try {
    const { suggested } = await session.suggest({ blocks: blocksOf(selection, view, state) });
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

/**
 * Suggests the outcomes of what is pasted or filled and says so, and how many cells nothing could be
 * suggested for. Nothing recorded changes.
 */
export async function suggestEdit(
  { session, store }: Suggesting,
  edit: Pick<Edit, 'blocks' | 'cells'>,
): Promise<void> {
  try {
    const { suggested, left } = await session.suggest(edit);
    const said =
      suggested === 0
        ? t('Nothing to suggest: no other outcome than what is recorded.')
        : t(
            'Suggested, not recorded, since the case is approved: {suggested, plural, one {# cell} other {# cells}}.',
            { suggested },
          );
    const kept = t(
      '{left, plural, one {# cell is} other {# cells are}} left as recorded: only outcomes can be suggested.',
      { left },
    );
    notify(store, left === 0 ? said : `${said} ${kept}`);
  } catch (error) {
    showFailure(store, t('Not suggested'), error);
  }
}
