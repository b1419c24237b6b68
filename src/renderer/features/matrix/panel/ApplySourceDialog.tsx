import type { CellAddress } from '../../../data/store/port.ts';
import { cellName } from '../model/names.ts';
import { useState } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { CheckField } from '../../../ui/Field.tsx';
import { useEditor, useEditorState, useRevision } from '../editor/use-editor.ts';
import { selectedCells } from '../model/selected-cells.ts';
import { planSource, SOURCE_PARTS, sourceAt, type SourcePart } from './apply-source.ts';
import { provenanceText } from '../model/history-text.ts';
import { t } from '../../../text/t.ts';

const NAMES: Record<SourcePart, string> = {
  source_value: t('Reported value'),
  provenance: t('Provenance'),
  notes: t('Notes'),
};

export function ApplySourceDialog() {
  const open = useEditorState((state) => state.dialog === 'apply-source');
  const focus = useEditorState((state) => state.selection?.focus);
  return open && focus !== undefined ? <ApplySource focus={focus} /> : null;
}

/**
 * The source of the focused cell for all selected ones: what it would overwrite stands there before
 * it does.
 */
function ApplySource({ focus }: { focus: CellAddress }) {
  const editor = useEditor();
  const { session, store } = editor;
  // Drawn again with every change of the matrix.
  useRevision();
  const [from] = useState(focus);
  const [selected] = useState(() => selectedCells(store.getState()));
  const [parts, setParts] = useState<ReadonlySet<SourcePart>>(
    new Set(['source_value', 'provenance']),
  );
  const [withUnrecorded, setWithUnrecorded] = useState(false);
  const wanted = SOURCE_PARTS.filter((part) => parts.has(part));
  const plan = planSource(session, selected, from, wanted, withUnrecorded);
  const name = cellName(session, from);
  const detail = sourceAt(session, from);
  const close = (): void => editor.show(null);
  const apply = async (): Promise<void> => {
    close();
    const done = await editor.apply({
      label: t('Apply the source of {name} to {cells, plural, one {# cell} other {# cells}}', {
        name,
        cells: plan.cells.length,
      }),
      cells: plan.cells,
      why: `Source as at ${name}`.slice(0, 400),
    });
    if (done !== undefined)
      editor.announce(
        t('{cells, plural, one {# cell} other {# cells}} changed', { cells: done.cells }),
      );
  };
  const toggle = (part: SourcePart, on: boolean): void =>
    setParts(new Set(SOURCE_PARTS.filter((other) => (other === part ? on : parts.has(other)))));
  return (
    <Dialog
      onClose={close}
      title={t('Apply the source to the selection')}
      description={
        <>{t('From {name} to the other selected cells. Outcomes stay as they are.', { name })}</>
      }
      footer={
        <>
          <Button onClick={close}>{t('Cancel')}</Button>
          <Button variant="primary" disabled={plan.cells.length === 0} onClick={() => void apply()}>
            {plan.cells.length === 0
              ? t('Nothing to change')
              : t('Change {cells, plural, one {# cell} other {# cells}}', {
                  cells: plan.cells.length,
                })}
          </Button>
        </>
      }
    >
      {SOURCE_PARTS.map((part) => (
        <PartField
          key={part}
          name={NAMES[part]}
          text={provenanceText(detail[part])}
          sums={plan.parts.find((entry) => entry.part === part)}
          checked={parts.has(part)}
          onChecked={(on) => toggle(part, on)}
        />
      ))}
      <CheckField
        label={t('Unrecorded cells too')}
        checked={withUnrecorded}
        onChecked={setWithUnrecorded}
        hint={
          plan.unrecorded === 0
            ? ''
            : t(
                '{unrecorded, plural, one {# unrecorded cell is} other {# unrecorded cells are}} skipped',
                { unrecorded: plan.unrecorded },
              )
        }
      />
    </Dialog>
  );
}

/** One part of the source, and what it would overwrite. */
function PartField({
  name,
  text,
  sums,
  checked,
  onChecked,
}: {
  name: string;
  text: string;
  sums: { fresh: number; overwritten: number; same: number } | undefined;
  checked: boolean;
  onChecked: (on: boolean) => void;
}) {
  const words =
    sums === undefined
      ? ''
      : t('{fresh, number} get it, {overwritten, number} overwritten, {same, number} have it', {
          ...sums,
        });
  return (
    <CheckField
      label={
        <>
          <strong>{name}</strong>
          {text === '' ? (
            <> {t('(this cell has none)')}</>
          ) : (
            <>
              {' '}
              <span className="mx-source-text">{text}</span>
            </>
          )}
        </>
      }
      checked={text !== '' && checked}
      disabled={text === ''}
      onChecked={onChecked}
      hint={words}
    />
  );
}
