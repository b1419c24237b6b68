import { type FocusEvent, useState } from 'react';
import type { CellState } from '../../../../shared/domain/outcome.ts';
import type { CellDetail, CellPatch } from '../../../data/store/port.ts';
import { t } from '../../../text/t.ts';
import { Button } from '../../../ui/Button.tsx';
import { notify } from '../editor/editor-state.ts';
import { goRound } from '../editor/selecting.ts';
import { useEditor, useMayWrite } from '../editor/use-editor.ts';
import { STATE_WORDS, stateKey } from '../model/states.ts';
import { DetailText } from './DetailText.tsx';
import type { Hold } from './Held.tsx';
import { NotesField } from './NotesField.tsx';
import { ProvenanceField } from './ProvenanceField.tsx';
import { SOURCE_FIELD } from './use-followed.ts';

export type SavedPart = 'reported' | 'notes' | 'provenance' | 'source';

/** The focus comes or goes, and no edit is held there. */
const isFromOutside = ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>): boolean =>
  !currentTarget.contains(relatedTarget) && currentTarget.querySelector('[data-held]') === null;

/**
 * Holds the proof that somebody types of an outcome which has become another one meanwhile: it
 * would stand beside that one, as theirs.
 */
function useHold(
  state: CellState,
  where: string,
): {
  hold: Hold | undefined;
  watch: Record<'onFocus' | 'onBlur', (event: FocusEvent<HTMLElement>) => void>;
} {
  const { store } = useEditor();
  const [begunOn, begin] = useState<CellState>();
  const outcome = STATE_WORDS[stateKey(state)].full;
  const end = (): void => begin(undefined);
  return {
    hold:
      begunOn === undefined || begunOn === state
        ? undefined
        : {
            outcome,
            onSettled: end,
            onLost: (text) =>
              notify(
                store,
                t('Not saved, since the outcome of {where} has become {outcome}: “{text}”', {
                  where,
                  outcome,
                  text,
                }),
                'problem',
              ),
          },
    watch: {
      onFocus: (event) => {
        if (isFromOutside(event)) begin(state);
      },
      onBlur: (event) => {
        if (isFromOutside(event)) end();
      },
    },
  };
}

/** What the outcome rests on. Keyed by cell by the caller. */
export function SourceFields({
  state,
  detail,
  where,
  selected,
  save,
}: {
  state: CellState;
  detail: CellDetail;
  where: string;
  selected: number;
  save: (part: SavedPart, patch: CellPatch) => Promise<void>;
}) {
  const editor = useEditor();
  const mayWrite = useMayWrite();
  const { source_value: reported, notes: noted, provenance: origin } = detail;
  const hasSource = reported !== null || noted !== null || origin !== null;
  const leave = (): void => editor.focusGrid();
  const goOn = (): void => {
    leave();
    if (!goRound(editor, 'column', false)) editor.move('down', false);
  };
  const { hold, watch } = useHold(state, where);
  return (
    <section className="mx-part mx-fields" {...watch}>
      <DetailText
        name={SOURCE_FIELD}
        label={t('Reported value')}
        rows={1}
        placeholder={t('As the source gives it')}
        value={reported}
        hint={t('Enter saves and goes on, Shift+Enter is a new line')}
        onSave={(source_value) => void save('reported', { source_value })}
        onLeave={leave}
        hold={hold}
        onEnter={goOn}
      />
      <NotesField value={noted} onSave={(notes) => void save('notes', { notes })} onLeave={leave} />
      <ProvenanceField
        value={origin}
        onSave={(provenance) => void save('provenance', { provenance })}
        onLeave={leave}
        hold={hold}
      />
      {selected > 1 && hasSource && mayWrite && (
        <Button size="sm" className="mx-apply-source" onClick={() => editor.show('apply-source')}>
          {t('Apply to the selection…')}
        </Button>
      )}
    </section>
  );
}
