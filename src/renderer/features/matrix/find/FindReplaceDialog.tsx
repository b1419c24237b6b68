import { type FormEvent, useDeferredValue, useId, useMemo, useState } from 'react';
import { MAX_EDIT_CELLS } from '../../../data/store/port.ts';
import { formatCount, plural } from '../../../state/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { CheckField, TextField } from '../../../ui/Field.tsx';
import { Select } from '../../../ui/Select.tsx';
import type { Editor } from '../editor/editor.ts';
import { notify } from '../editor/editor-state.ts';
import { useEditor, useEditorState, useRevision } from '../editor/use-editor.ts';
import { ChangeList } from '../clipboard/ChangeList.tsx';
import { rectsOf, sizeOfAll } from '../model/selection.ts';
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

const WHERE: Record<ReplaceIn, string> = {
  source: 'Reported values',
  notes: 'Notes',
  outcome: 'Outcomes',
  field: 'A field of the items',
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
  const [start] = useState(() => {
    const { selection, view } = store.getState();
    const rects = rectsOf(selection, view);
    return { rects, isSeveral: sizeOfAll(rects) > 1 };
  });
  const [choices, setChoices] = useState<ReplaceChoices>(() => ({
    ...FIRST_CHOICES,
    text: finderOf(editor).store.getState().text,
    selected: start.isSeveral,
  }));
  const wanted = useDeferredValue(choices);
  const view = useEditorState((state) => state.view);
  const changes = useMemo(
    () => (revision < 0 ? [] : planReplace(wanted, view, start.rects, session)),
    [wanted, view, start, session, revision],
  );
  const change = (part: Partial<ReplaceChoices>): void => setChoices({ ...choices, ...part });
  const close = (): void => editor.show(null);
  const isReady = changes.length > 0 && changes.length <= MAX_EDIT_CELLS && wanted === choices;
  const apply = (event: FormEvent): void => {
    event.preventDefault();
    if (!isReady) return;
    close();
    const label = `Replace in ${plural(changes.length, 'cell')}`;
    void replaceAll(editor, label, replaceEdit(choices, changes, view, session));
  };
  return (
    <Dialog
      open
      onOpenChange={(next) => {
        if (!next) close();
      }}
      title="Find and replace"
      description="Among the items and rules that are shown. All changes are one undo step."
      wide
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button variant="primary" type="submit" form={id} disabled={!isReady}>
            {changes.length === 0 ? 'Nothing to replace' : `Replace ${formatCount(changes.length)}`}
          </Button>
        </>
      }
    >
      <form id={id} className="form" noValidate onSubmit={apply}>
        <ReplaceForm choices={choices} isSeveral={start.isSeveral} onChange={change} />
      </form>
      <p role="status">
        {changes.length === 0 ? 'Nothing is found.' : plural(changes.length, 'change')}
        {changes.length > MAX_EDIT_CELLS &&
          `: more than the ${formatCount(MAX_EDIT_CELLS)} of one step. Filter first.`}
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
  const words = done.cells > 0 ? plural(done.cells, 'cell') : plural(done.items, 'item');
  notify(editor.store, `${words} changed by find and replace.`, 'plain', true);
}

function ReplaceForm({
  choices,
  isSeveral,
  onChange,
}: {
  choices: ReplaceChoices;
  isSeveral: boolean;
  onChange: (part: Partial<ReplaceChoices>) => void;
}) {
  const fields = useEditorState((state) => state.columns.fields);
  const keys = fields.map(({ key }) => ({ value: key, label: key }));
  const places = REPLACE_IN.filter((value) => value !== 'field' || keys.length > 0);
  return (
    <>
      <Select
        label="Replace in"
        options={places.map((value) => ({ value, label: WHERE[value] }))}
        value={choices.in}
        onValue={(value) => onChange({ in: value, key: choices.key || (keys[0]?.value ?? '') })}
      />
      {choices.in === 'field' && (
        <Select
          label="Field"
          options={keys}
          value={choices.key}
          onValue={(key) => onChange({ key })}
        />
      )}
      {choices.in === 'outcome' ? (
        <div className="mx-replace-pair">
          <Select
            label="Find"
            options={STATES}
            value={choices.from}
            onValue={(from) => onChange({ from })}
          />
          <Select
            label="Replace with"
            options={STATES}
            value={choices.to}
            onValue={(to) => onChange({ to })}
            hint="Another outcome begins without the reported value and provenance of the one before."
          />
        </div>
      ) : (
        <>
          <div className="mx-replace-pair">
            <TextField
              name="find"
              label="Find"
              value={choices.text}
              onValue={(text) => onChange({ text })}
            />
            <TextField
              name="replacement"
              label="Replace with"
              value={choices.replacement}
              onValue={(replacement) => onChange({ replacement })}
            />
          </div>
          <CheckField
            label="Match case"
            checked={choices.matchCase}
            onChecked={(matchCase) => onChange({ matchCase })}
          />
          <CheckField
            label="Only where it is the whole text"
            checked={choices.whole}
            onChecked={(whole) => onChange({ whole })}
          />
        </>
      )}
      {isSeveral && (
        <CheckField
          label="Only in the selected cells"
          checked={choices.selected}
          onChecked={(selected) => onChange({ selected })}
        />
      )}
    </>
  );
}
