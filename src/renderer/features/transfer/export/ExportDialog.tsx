import { Download } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import type { MatrixSession } from '../../../data/store/port.ts';
import { createPace, isCancelled } from '../../../files/pace.ts';

import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { CheckField } from '../../../ui/Field.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { saveBlob } from '../../../ui/save-file.ts';
import { Select } from '../../../ui/Select.tsx';
import { Progress } from '../Progress.tsx';
import { buildExport, type ExportChoice, isStandard, type NamedFile } from './export-files.ts';
import type { ExportPart } from './sheets.ts';
import '../transfer.css';
import { t } from '../../../text/t.ts';

const CONTENT_OPTIONS = [
  {
    value: 'matrix',
    label: t('Matrix'),
    detail: t('One row an item, one column a rule: TRUE, FALSE, NA'),
  },
  {
    value: 'long',
    label: t('Cells with their details'),
    detail: t('One row a cell: outcome, source value, notes, provenance, who recorded it'),
  },
  {
    value: 'binary',
    label: t('Binary matrix'),
    detail: t('1 for evidence present, 0 for everything else, with its description'),
  },
  {
    value: 'qem',
    label: t('QEM matrix (JSON)'),
    detail: t('Items and recorded outcomes by the public schema qem-matrix.json'),
  },
  {
    value: 'quantbayes',
    label: t('For R quantbayes'),
    detail: t('Binary CSV without byte order mark, the IDs in its first column'),
  },
  {
    value: 'engine',
    label: t('For the engine'),
    detail: t('1, 0 and NA between spaces, without headings and IDs'),
  },
] as const;
const FORMAT_OPTIONS = [
  { value: 'xlsx', label: t('XLSX'), detail: t('For Excel and LibreOffice: text stays text') },
  { value: 'csv', label: t('CSV'), detail: t('Commas between the fields') },
  { value: 'tsv', label: t('TSV'), detail: t('Tabs between the fields') },
] as const;
const HEADINGS = [
  { value: 'uid', label: t('Rule ID') },
  { value: 'name', label: t('Rule name') },
] as const;

const START: ExportChoice = {
  content: 'matrix',
  format: 'xlsx',
  heading: HEADINGS[0].value,
  metadata: true,
  unrecorded: false,
  guarded: true,
  byteOrderMark: true,
};

type State =
  | { kind: 'choosing'; problem?: string }
  | { kind: 'working'; done: number | undefined }
  | { kind: 'done'; files: readonly NamedFile[] };

export type ShownPart = Exclude<ExportPart, 'all'>;

interface ExportProps {
  session: MatrixSession;
  caseTitle: string;
  /** What is on screen where that is not everything. */
  shown: ShownPart | undefined;
  clock: { now(): number };
  onClose: () => void;
}

/** From the matrix to a file. */
export function ExportDialog({ session, caseTitle, shown, clock, onClose }: ExportProps) {
  const [choice, setChoice] = useState(START);
  const [all, setAll] = useState(true);
  const [state, setState] = useState<State>({ kind: 'choosing' });
  const stop = useRef<AbortController>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const set = (change: Partial<ExportChoice>): void => setChoice({ ...choice, ...change });

  const run = async (): Promise<void> => {
    const controller = new AbortController();
    stop.current = controller;
    setState({ kind: 'working', done: undefined });
    try {
      const pace = createPace(controller.signal, (done) => setState({ kind: 'working', done }));
      const files = await buildExport(
        session,
        all || shown === undefined ? 'all' : shown,
        choice,
        { caseTitle, madeAt: new Date(clock.now()).toISOString() },
        pace,
      );
      const [first] = files;
      if (first !== undefined) saveBlob(first.name, first.blob);
      setState({ kind: 'done', files });
    } catch (error) {
      setState(
        isCancelled(error)
          ? { kind: 'choosing' }
          : { kind: 'choosing', problem: error instanceof Error ? error.message : String(error) },
      );
    }
  };
  const footer = {
    choosing: (
      <>
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button
          variant="primary"
          icon={<Download size={14} aria-hidden="true" />}
          onClick={() => void run()}
        >
          {t('Export')}
        </Button>
      </>
    ),
    working: <Button onClick={() => stop.current?.abort()}>{t('Stop')}</Button>,
    done: (
      <Button variant="primary" onClick={onClose}>
        {t('Done')}
      </Button>
    ),
  }[state.kind];
  return (
    <Dialog
      onClose={onClose}
      title={t('Export')}
      dismissible={state.kind !== 'working'}
      footer={footer}
    >
      {state.kind === 'working' && <Progress label={t('Writing the file…')} done={state.done} />}
      {state.kind === 'done' && <Files files={state.files} />}
      {state.kind === 'choosing' && (
        <>
          {state.problem !== undefined && (
            <Notice tone="danger" live>
              {state.problem}
            </Notice>
          )}
          <Select
            label={t('What')}
            options={CONTENT_OPTIONS}
            value={choice.content}
            onValue={(content) => set({ content })}
          />
          {!isStandard(choice.content) && (
            <Select
              label={t('Format')}
              options={FORMAT_OPTIONS}
              value={choice.format}
              onValue={(format) => set({ format })}
            />
          )}
          {shown !== undefined && (
            <ScopeChoice session={session} shown={shown} all={all} onAll={setAll} />
          )}
          <Options choice={choice} set={set} />
        </>
      )}
    </Dialog>
  );
}

function ScopeChoice({
  session,
  shown,
  all,
  onAll,
}: {
  session: MatrixSession;
  shown: ShownPart;
  all: boolean;
  onAll: (all: boolean) => void;
}) {
  const name = useId();
  const options = [
    [
      true,
      t(
        'Everything: {items, plural, one {# item} other {# items}}, {rules, plural, one {# rule} other {# rules}}',
        { items: session.items.length, rules: session.rules.length },
      ),
    ],
    [
      false,
      t(
        'What is shown, in its order: {rows, number} of the items, {columns, number} of the rules',
        { rows: shown.items.length, columns: shown.rules.length },
      ),
    ],
  ] as const;
  return (
    <fieldset className="form-group">
      <legend className="field-label">{t('Rows and columns')}</legend>
      {options.map(([value, label]) => (
        <label key={label} className="check">
          <input type="radio" name={name} checked={all === value} onChange={() => onAll(value)} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}

function Options({
  choice,
  set,
}: {
  choice: ExportChoice;
  set: (change: Partial<ExportChoice>) => void;
}) {
  const isText = choice.format !== 'xlsx' && !isStandard(choice.content);
  return (
    <>
      {choice.content === 'matrix' && (
        <Select
          label={t('Columns are headed by')}
          options={HEADINGS}
          value={choice.heading}
          onValue={(heading) => set({ heading })}
        />
      )}
      {choice.content === 'matrix' && (
        <CheckField
          label={t('With the items’ metadata, one column a key')}
          checked={choice.metadata}
          onChecked={(metadata) => set({ metadata })}
        />
      )}
      {choice.content === 'long' && (
        <CheckField
          label={t('Also cells that nobody has recorded')}
          checked={choice.unrecorded}
          onChecked={(unrecorded) => set({ unrecorded })}
        />
      )}
      {isText && (
        <CheckField
          label={t('Keep spreadsheets from running text as formulas')}
          checked={choice.guarded}
          onChecked={(guarded) => set({ guarded })}
          hint={t(
            'Text that starts with = + - @ gets an apostrophe. The column apostrophes_added says in which rows, and an import takes them away again.',
          )}
        />
      )}
      {isText && (
        <CheckField
          label={t('Byte order mark')}
          checked={choice.byteOrderMark}
          onChecked={(byteOrderMark) => set({ byteOrderMark })}
          hint={t(
            'Excel needs it to read UTF-8. Some programs show it as a sign before the first heading.',
          )}
        />
      )}
      {isText && (
        <p className="field-hint">
          {t(
            'A spreadsheet that opens this file turns names such as SEPT2 into dates. XLSX keeps them.',
          )}
        </p>
      )}
    </>
  );
}

const size = (bytes: number): string =>
  bytes < 1024 * 1024
    ? `${Math.max(1, Math.round(bytes / 1024))} kB`
    : t('{size, number, ::.0} MB', { size: bytes / 1024 / 1024 });

function Files({ files }: { files: readonly NamedFile[] }) {
  return (
    <div className="tr-files" role="status">
      <p>
        {files.length === 1
          ? t('The file is ready.')
          : t(
              '{files, plural, one {# file} other {# files}} are ready. The first has been handed over; save the others too.',
              { files: files.length },
            )}
      </p>
      <ul className="plain-list">
        {files.map(({ name, blob }) => (
          <li key={name} className="tr-file">
            <code>{name}</code>
            <span className="muted small">{size(blob.size)}</span>
            <Button size="sm" onClick={() => saveBlob(name, blob)}>
              {t('Save {name}', { name })}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
