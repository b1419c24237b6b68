import {
  type FormEvent,
  type RefObject,
  useDeferredValue,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import { MAX_EDIT_CELLS } from '../../../data/store/port.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { CheckField, TextField } from '../../../ui/Field.tsx';
import { Select } from '../../../ui/Select.tsx';
import type { Editor } from '../editor/editor.ts';
import { notify } from '../editor/editor-state.ts';
import { useEditor, useEditorState, useRevision } from '../editor/use-editor.ts';
import { ChangeList } from '../clipboard/ChangeList.tsx';
import { selectedCells } from '../model/selected-cells.ts';
import { sizeOfAll } from '../model/selection.ts';
import { STATE_KEYS, withMeaning } from '../model/states.ts';
import { finderOf } from './finder.ts';
import {
  FIRST_CHOICES,
  planReplace,
  REPLACE_IN,
  type ReplaceChoices,
  replaceEdit,
  type ReplaceIn,
} from './replace-plan.ts';
import { t } from '../../../text/t.ts';

const WHERE: Record<ReplaceIn, string> = {
  source: t('Reported values'),
  notes: t('Notes'),
  outcome: t('Outcomes'),
  field: t('A field of the items'),
};
const STATES = STATE_KEYS.map((value) => ({ value, label: withMeaning(value) }));
const outcomeOf = (text: string): string =>
  withMeaning(STATE_KEYS.find((key) => key === text) ?? 'unrecorded');

/** Replaces texts or outcomes; every change is listed before any is made. */
export function FindReplaceDialog() {
  const isOpen = useEditorState((state) => state.dialog === 'find-replace');
  return isOpen ? <FindReplace /> : null;
}

function FindReplace() {
  const editor = useEditor();
  const { session, store } = editor;
  const revision = useRevision();
  const id = useId();
  const find = useRef<HTMLInputElement>(null);
  const [selected] = useState(() => selectedCells(store.getState()));
  const isSeveral = sizeOfAll(selected.rects) > 1;
  const [choices, setChoices] = useState<ReplaceChoices>(() => ({
    ...FIRST_CHOICES,
    text: finderOf(editor).store.getState().text,
    selected: isSeveral,
  }));
  const wanted = useDeferredValue(choices);
  const view = useEditorState((state) => state.view);
  const changes = useMemo(
    () => (revision < 0 ? [] : planReplace(wanted, view, selected, session)),
    [wanted, view, selected, session, revision],
  );
  const change = (part: Partial<ReplaceChoices>): void => setChoices({ ...choices, ...part });
  const close = (): void => editor.show(null);
  const isReady = changes.length > 0 && changes.length <= MAX_EDIT_CELLS && wanted === choices;
  const apply = (event: FormEvent): void => {
    event.preventDefault();
    if (!isReady) return;
    close();
    const label = t('Replace in {cells, plural, one {# cell} other {# cells}}', {
      cells: changes.length,
    });
    void replaceAll(editor, label, replaceEdit(choices, changes, view, session));
  };
  return (
    <Dialog
      onClose={close}
      title={t('Find and replace')}
      description={t('Among the items and rules that are shown. All changes are one undo step.')}
      wide
      focus={find}
      footer={
        <>
          <Button onClick={close}>{t('Cancel')}</Button>
          <Button variant="primary" type="submit" form={id} disabled={!isReady}>
            {changes.length === 0
              ? t('Nothing to replace')
              : t('Replace {count, number}', { count: changes.length })}
          </Button>
        </>
      }
    >
      <form id={id} className="form" noValidate onSubmit={apply}>
        <ReplaceForm choices={choices} isSeveral={isSeveral} onChange={change} find={find} />
      </form>
      <p role="status">
        {changes.length === 0
          ? t('Nothing is found.')
          : changes.length <= MAX_EDIT_CELLS
            ? t('{changes, plural, one {# change} other {# changes}}', { changes: changes.length })
            : t(
                '{changes, plural, one {# change} other {# changes}}: more than the {most, number} of one step. Filter first.',
                { changes: changes.length, most: MAX_EDIT_CELLS },
              )}
      </p>
      <ChangeList changes={changes} {...(wanted.in === 'outcome' && { words: outcomeOf })} />
    </Dialog>
  );
}

async function replaceAll(
  editor: Editor,
  label: string,
  parts: ReturnType<typeof replaceEdit>,
): Promise<void> {
  const done = await editor.apply({ label, why: 'Find and replace', ...parts });
  if (done === undefined) return;
  const words =
    done.cells > 0
      ? t('{cells, plural, one {# cell} other {# cells}} changed by find and replace.', {
          cells: done.cells,
        })
      : t('{items, plural, one {# item} other {# items}} changed by find and replace.', {
          items: done.items,
        });
  notify(editor.store, words, 'plain', true);
}

function ReplaceForm({
  choices,
  isSeveral,
  onChange,
  find,
}: {
  choices: ReplaceChoices;
  isSeveral: boolean;
  onChange: (part: Partial<ReplaceChoices>) => void;
  find: RefObject<HTMLInputElement | null>;
}) {
  const fields = useEditorState((state) => state.columns.fields);
  const keys = fields.map(({ key }) => ({ value: key, label: key }));
  const places = REPLACE_IN.filter((value) => value !== 'field' || keys.length > 0);
  return (
    <>
      <Select
        label={t('Replace in')}
        options={places.map((value) => ({ value, label: WHERE[value] }))}
        value={choices.in}
        onValue={(value) => onChange({ in: value, key: choices.key || (keys[0]?.value ?? '') })}
      />
      {choices.in === 'field' && (
        <Select
          label={t('Field')}
          options={keys}
          value={choices.key}
          onValue={(key) => onChange({ key })}
        />
      )}
      {choices.in === 'outcome' ? (
        <div className="mx-replace-pair">
          <Select
            label={t('Find')}
            options={STATES}
            value={choices.from}
            onValue={(from) => onChange({ from })}
          />
          <Select
            label={t('Replace with')}
            options={STATES}
            value={choices.to}
            onValue={(to) => onChange({ to })}
            hint={t(
              'Another outcome begins without the reported value and provenance of the one before.',
            )}
          />
        </div>
      ) : (
        <>
          <div className="mx-replace-pair">
            <TextField
              ref={find}
              name="find"
              label={t('Find')}
              value={choices.text}
              onValue={(text) => onChange({ text })}
            />
            <TextField
              name="replacement"
              label={t('Replace with')}
              value={choices.replacement}
              onValue={(replacement) => onChange({ replacement })}
            />
          </div>
          <CheckField
            label={t('Match case')}
            checked={choices.matchCase}
            onChecked={(matchCase) => onChange({ matchCase })}
          />
          <CheckField
            label={t('Only where it is the whole text')}
            checked={choices.whole}
            onChecked={(whole) => onChange({ whole })}
          />
        </>
      )}
      {isSeveral && (
        <CheckField
          label={t('Only in the selected cells')}
          checked={choices.selected}
          onChecked={(selected) => onChange({ selected })}
        />
      )}
    </>
  );
}
