import { type FormEvent, useDeferredValue, useId, useMemo, useState } from 'react';
import { MAX_EDIT_CELLS } from '../../../data/store/port.ts';
import { formatCount, plural } from '../../../state/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { CheckField, TextField } from '../../../ui/Field.tsx';
import { Pager, usePager } from '../../../ui/Pager.tsx';
import { Select } from '../../../ui/Select.tsx';
import { notify } from '../editor/editor-state.ts';
import { useEditor, useEditorState, useRevision } from '../editor/use-editor.ts';
import { itemName, ruleName } from '../model/names.ts';
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
  type Replacement,
} from './replace-plan.ts';

const WHERE: Record<ReplaceIn, string> = {
  source: 'Reported values',
  notes: 'Notes',
  outcome: 'Outcomes',
};
const WHERE_OPTIONS = REPLACE_IN.map((value) => ({
  value,
  label: WHERE[value],
}));
const STATES = STATE_KEYS.map((value) => ({ value, label: withMeaning(value) }));
/** Changes of one page of the list. */
const PAGE = 50;

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
    const edit = { label, why: 'Find and replace', ...replaceEdit(choices, changes) };
    void editor.apply(edit).then((done) => {
      if (done !== undefined)
        notify(store, `${plural(done.cells, 'cell')} changed by find and replace.`, 'plain', true);
    });
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
      <Changes changes={changes} isOutcome={wanted.in === 'outcome'} />
    </Dialog>
  );
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
  return (
    <>
      <Select
        label="Replace in"
        options={WHERE_OPTIONS}
        value={choices.in}
        onValue={(value) => onChange({ in: value })}
      />
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

function Changes({ changes, isOutcome }: { changes: readonly Replacement[]; isOutcome: boolean }) {
  const { session } = useEditor();
  const pager = usePager(changes.length, PAGE);
  const words = (text: string): string =>
    isOutcome ? withMeaning(STATE_KEYS.find((key) => key === text) ?? 'unrecorded') : text;
  return (
    <>
      <p role="status">
        {changes.length === 0 ? 'Nothing is found.' : plural(changes.length, 'change')}
        {changes.length > MAX_EDIT_CELLS &&
          `: more than the ${formatCount(MAX_EDIT_CELLS)} of one step. Filter first.`}
      </p>
      {changes.length > 0 && (
        <div
          className="mx-refusals mx-replace-list"
          role="region"
          aria-label="Changes"
          tabIndex={0}
        >
          <table>
            <thead>
              <tr>
                <th scope="col">Item</th>
                <th scope="col">Rule</th>
                <th scope="col">Before</th>
                <th scope="col">After</th>
              </tr>
            </thead>
            <tbody>
              {changes.slice(pager.first, pager.end).map(({ item, rule, before, after }) => (
                <tr key={`${item}\n${rule}`}>
                  <td>{itemName(session, item)}</td>
                  <td>{ruleName(session, rule)}</td>
                  <td>{words(before)}</td>
                  <td>{after === '' ? <span className="muted">empty</span> : words(after)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Pager pager={pager} what="changes" />
    </>
  );
}
