import { type KeyboardEvent, useState } from 'react';
import { formatPercent } from '../../../state/format.ts';
import {
  keepsOrigin,
  MANY_ORIGINS,
  manyOriginsHint,
  rememberKeepsOrigin,
} from '../../../state/keep-origin.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { CheckField } from '../../../ui/Field.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { onlySuggests } from '../editor/action.ts';
import { useEditor, useEditorState, useSaveStatus } from '../editor/use-editor.ts';
import { commitPaste } from './paste.ts';
import { PasteChoicesForm, PasteEmpties } from './PasteChoicesForm.tsx';
import { PasteReplaced, PasteSums } from './PasteFigures.tsx';
import { PastePicture } from './PastePicture.tsx';
import { PasteWords } from './PasteWords.tsx';
import {
  changedBy,
  FIRST_CHOICES,
  type PasteChoices,
  type PastePlan,
  suggestedBy,
} from './plan.ts';
import type { PasteRequest } from '../editor/paste-request.ts';
import type { Separator, PastedTable } from '../model/pasted-table.ts';
import { usePlan } from './use-plan.ts';
import './paste.css';
import { t } from '../../../text/t.ts';

/**
 * What a paste would do, before it does. Nothing is turned into an outcome that does not say one.
 */
export function PasteDialog() {
  const request = useEditorState((state) => state.paste);
  return request === null ? null : <PastePreview request={request} />;
}

const READ_AS: Partial<Record<Separator, string>> = {
  comma: t('Read as columns separated by commas.'),
  semicolon: t('Read as columns separated by semicolons.'),
  blank: t('Read as columns separated by blanks, as R prints them.'),
};

/** Read out when the dialog opens. */
const describe = (
  { rows, columns, separator, turned }: PastedTable,
  changes: number,
  suggests: boolean,
): string => {
  const [height, width] = turned === true ? [columns, rows] : [rows, columns];
  const sentences = [
    t(
      '{rows, plural, one {# row} other {# rows}} by {columns, plural, one {# column} other {# columns}}.',
      { rows: height, columns: width },
    ),
    READ_AS[separator] ?? '',
    turned === true ? t('It has rules in rows and items in columns, and is turned to fit.') : '',
    suggests
      ? t('{cells, plural, one {# outcome} other {# outcomes}} would be suggested.', {
          cells: changes,
        })
      : t('{cells, plural, one {# cell} other {# cells}} would change.', { cells: changes }),
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
};

const countOf = (plan: PastePlan | null, suggests: boolean): number =>
  plan === null ? 0 : suggests ? suggestedBy(plan) : changedBy(plan);

function applyWords(changes: number, suggests: boolean): string {
  if (changes === 0) return t('Nothing to paste');
  return suggests
    ? t('Suggest {cells, plural, one {# outcome} other {# outcomes}}', { cells: changes })
    : t('Paste {cells, plural, one {# cell} other {# cells}}', { cells: changes });
}

function OnlySuggested() {
  return (
    <Notice>
      {t(
        'The case is approved: what you paste is suggested, and what is recorded stays. To clear a cell cannot be suggested.',
      )}
    </Notice>
  );
}

function PastePreview({ request }: { request: PasteRequest }) {
  const editor = useEditor();
  const [choices, setChoices] = useState<PasteChoices>(FIRST_CHOICES);
  const [remembered] = useState(keepsOrigin);
  const [chosen, setChosen] = useState<boolean | undefined>(undefined);
  const keep = (next: boolean): void => {
    setChosen(next);
    rememberKeepsOrigin(next);
  };
  const { plan, progress, refusal } = usePlan(request, choices);
  const suggests = onlySuggests(useSaveStatus());
  const changes = countOf(plan, suggests);
  const keeps = chosen ?? (remembered && changes <= MANY_ORIGINS);
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
    event.stopPropagation();
    apply();
  };
  const change = (part: Partial<PasteChoices>): void => setChoices({ ...choices, ...part });
  return (
    <Dialog
      onClose={close}
      title={t('Paste into the matrix')}
      onKeyDown={onKeyDown}
      description={describe(request.table, changes, suggests)}
      wide
      focus="dialog"
      footer={
        <>
          <Button onClick={close}>{t('Cancel')}</Button>
          <Button variant="primary" disabled={!isReady} onClick={apply}>
            {applyWords(changes, suggests)}
          </Button>
        </>
      }
    >
      <div className="mx-paste">
        {suggests && <OnlySuggested />}
        {progress < 1 && (
          <p role="status" className="muted">
            {t('Comparing with the matrix: {percent}', {
              percent: formatPercent(Math.round(progress * 100) / 100),
            })}
          </p>
        )}
        {refusal !== null && (
          <Notice tone="danger" live>
            {refusal}
          </Notice>
        )}
        {plan !== null && (
          <>
            <PasteChoicesForm request={request} plan={plan} choices={choices} onChange={change} />
            {refusal === null && (
              <>
                <PasteSums plan={plan} suggests={suggests} />
                {plan.words.length > 0 && (
                  <PasteWords
                    plan={plan}
                    choices={choices}
                    onChange={(words) => change({ words })}
                  />
                )}
                {changes > 0 && (
                  <CheckField
                    label={t('Keep with each cell what was read and where')}
                    checked={keeps}
                    onChecked={keep}
                    hint={`${t(
                      'The text as its reported value; clipboard, line, column and date as its provenance. Remembered on this computer.',
                    )} ${manyOriginsHint(changes).trim()}`.trim()}
                  />
                )}
                <PastePicture request={request} plan={plan} choices={choices} suggests={suggests} />
                {!suggests && <PasteEmpties plan={plan} choices={choices} onChange={change} />}
                <PasteReplaced plan={plan} suggests={suggests} />
              </>
            )}
          </>
        )}
      </div>
    </Dialog>
  );
}
