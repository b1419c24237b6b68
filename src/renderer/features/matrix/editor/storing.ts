import type { MatrixSession } from '../../../data/store/port.ts';
import { type EditorStore, notify } from './editor-state.ts';
import type { Recording } from './recording.ts';
import { t } from '../../../text/t.ts';

export interface Storing extends Pick<Recording, 'write' | 'apply' | 'resolve'> {
  /** How many acts have begun: an undo takes back the last of them. */
  begun: () => number;
}

/** Shows what could not be done, and why. */
export function showFailure(store: EditorStore, what: string, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  notify(store, `${what}: ${reason}`, 'problem');
}

/** Each call of the session that stores something; a failure is shown and never thrown. */
export function createStoring(session: MatrixSession, store: EditorStore): Storing {
  let begun = 0;
  /** The undo beside the news is of the act before. */
  const begin = (): void => {
    begun += 1;
    if (store.getState().notice?.undo === true) store.setState({ notice: null });
  };
  const saved = async <T>(act: () => Promise<T>): Promise<T | undefined> => {
    begin();
    try {
      const done = await act();
      const { notice, copied } = store.getState();
      if (copied !== null) store.setState({ copied: null });
      if (notice?.tone === 'problem') store.setState({ notice: null });
      return done;
    } catch (error) {
      showFailure(store, t('Not saved'), error);
      return undefined;
    }
  };
  return {
    begun: () => begun,
    write: async (label, cells, patch, why) =>
      (await saved(() => session.write(label, cells, patch, why)))?.written,
    apply: (edit) => saved(() => session.apply(edit)),
    resolve: async (settlings, why, label) => {
      begin();
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
