import { type KeyboardEvent, useState } from 'react';
import { formatPercent, plural } from '../../../state/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { CheckField } from '../../../ui/Field.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { useEditor, useEditorState } from '../use-editor.ts';
import { commitPaste } from './paste.ts';
import { PasteChoicesForm, PasteEmpties } from './PasteChoicesForm.tsx';
import { PasteReplaced, PasteSums } from './PasteFigures.tsx';
import { PastePicture } from './PastePicture.tsx';
import { PasteWords } from './PasteWords.tsx';
import { changedBy, FIRST_CHOICES, type PasteChoices } from './plan.ts';
import type { PasteRequest } from './request.ts';
import type { Separator, Table } from './table.ts';
import { usePlan } from './use-plan.ts';
import './paste.css';

/** What a paste would do, before it does. Nothing is turned into an outcome that does not say one. */
export function PasteDialog() {
  const request = useEditorState((state) => state.paste);
  return request === null ? null : <PastePreview request={request} />;
}

const READ_AS: Partial<Record<Separator, string>> = {
  comma: ' Read as columns separated by commas.',
  semicolon: ' Read as columns separated by semicolons.',
  blank: ' Read as columns separated by blanks, as R prints them.',
};

/** Read out when the dialog opens. */
const describe = ({ rows, columns, separator }: Table, changes: number): string =>
  `${plural(rows, 'row')} by ${plural(columns, 'column')}.${READ_AS[separator] ?? ''} ${plural(changes, 'cell')} would change.`;

/** More source values than this are kept only if wanted: each is stored, sent and listed by itself. */
const MANY_WORDS = 20_000;

function PastePreview({ request }: { request: PasteRequest }) {
  const editor = useEditor();
  const [choices, setChoices] = useState<PasteChoices>(FIRST_CHOICES);
  const [keepWords, setKeepWords] = useState<boolean | undefined>(undefined);
  const { plan, progress, refusal } = usePlan(request, choices);
  const mapped = plan === null ? 0 : plan.words.reduce((sum, { word, count }) => sum + (choices.words.has(word) && choices.words.get(word) !== 'leave' ? count : 0), 0);
  const keeps = keepWords ?? mapped <= MANY_WORDS;
  const changes = plan === null ? 0 : changedBy(plan);
  const isReady = plan !== null && progress === 1 && refusal === null && changes > 0;
  const close = (): void => editor.store.setState({ paste: null });
  const apply = (): void => {
    if (!isReady) return;
    close();
    void commitPaste(editor, request, plan, choices, keeps);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    apply();
  };
  const change = (part: Partial<PasteChoices>): void => setChoices({ ...choices, ...part });
  return (
    <Dialog
      open
      onOpenChange={(next) => { if (!next) close(); }}
      title="Paste into the matrix"
      description={describe(request.table, changes)}
      wide
      focus="dialog"
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button variant="primary" disabled={!isReady} onClick={apply}>{changes === 0 ? 'Nothing to paste' : `Paste ${plural(changes, 'cell')}`}</Button>
        </>
      }
    >
      {/* The keys of the whole dialog's content; the buttons have their own. */}
      <div className="mx-paste" onKeyDown={onKeyDown} role="presentation">
        {progress < 1 && <p role="status" className="muted">Comparing with the matrix: {formatPercent(Math.round(progress * 100) / 100)}</p>}
        {refusal !== null && <Notice tone="danger" live>{refusal}</Notice>}
        {plan !== null && (
          <>
            <PasteChoicesForm request={request} plan={plan} choices={choices} onChange={change} />
            {refusal === null && (
              <>
                <PasteSums plan={plan} />
                {plan.words.length > 0 && <PasteWords plan={plan} choices={choices} onChange={(words) => change({ words })} />}
                {mapped > 0 && <CheckField label="Keep each of these words as the source value of its cell" checked={keeps} onChecked={setKeepWords} hint={`${plural(mapped, 'source value')}.${mapped > MANY_WORDS ? ' So many are stored and sent one by one, which takes a while.' : ''}`} />}
                <PastePicture request={request} plan={plan} choices={choices} />
                <PasteEmpties plan={plan} choices={choices} onChange={change} />
                {plan.replaced.length > 0 && <PasteReplaced plan={plan} />}
              </>
            )}
          </>
        )}
      </div>
    </Dialog>
  );
}
