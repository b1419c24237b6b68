import type { MatrixSession } from '../../../data/store/port.ts';
import { type EditorStore, notify } from './editor-state.ts';
import type { Recording } from './recording.ts';
import { t } from '../../../text/t.ts';

export type Storing = Pick<Recording, 'write' | 'apply' | 'resolve'>;

/** Shows what could not be done, and why. */
export function showFailure(store: EditorStore, what: string, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  notify(store, `${what}: ${reason}`, 'problem');
}

/** Each call of the session that stores something; a failure is shown and never thrown. */
export function createStoring(session: MatrixSession, store: EditorStore): Storing {
  const saved = async <T>(act: () => Promise<T>): Promise<T | undefined> => {
    try {
      const done = await act();
      const { notice, copied } = store.getState();
      if (copied !== null) store.setState({ copied: null });
      if (notice?.tone === 'problem' || notice?.undo === true) store.setState({ notice: null });
      return done;
    } catch (error) {
      showFailure(store, t('Not saved'), error);
      return undefined;
    }
  };
  return {
    write: async (label, cells, patch, why) =>
      (await saved(() => session.write(label, cells, patch, why)))?.written,
    apply: (edit) => saved(() => session.apply(edit)),
    resolve: async (settlings, why, label) => {
      try {
        const { settled, left } = await session.settle(settlings, why, label);
        const words = [
          ...(settled === 0 ? [] : [t('{label}: {settled, number} resolved', { label, settled })]),
          ...(left.length === 0
            ? []
            : [
                t(
                  '{left, plural, one {# choice} other {# choices}} not applied: other values were recorded meanwhile. Look again.',
                  { left: left.length },
                ),
              ]),
        ].join('. ');
        notify(store, words, left.length > 0 ? 'problem' : 'plain');
        return settled > 0;
      } catch (error) {
        showFailure(store, t('Not resolved'), error);
        return false;
      }
    },
  };
}
