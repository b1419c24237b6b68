import { FileUp, Lock, Plus, SearchX } from 'lucide-react';
import { memo, type ReactNode, useEffect, useMemo, useRef } from 'react';
import { NOBODY, type Presence } from '../../data/api/events.ts';
import type { CellAddress, MatrixSession } from '../../data/store/port.ts';
import { useCommands } from '../../state/commands.ts';
import type { Beyond } from '../../state/hosted-sync.ts';
import type { Home } from '../../../shared/contract/v1/account.ts';
import { syncStatusOf } from '../../state/sync-status.ts';
import { useNow } from '../../state/use-sync-status.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { listenEverywhere } from './actions/areas.ts';
import { ContextMenu } from './actions/ContextMenu.tsx';
import { createCommandSource } from './actions/commands.ts';
import { createEditor } from './editor/create-editor.ts';
import type { FileRequest } from './editor/editor.ts';
import type { ReleasedRounds } from './editor/released-rounds.ts';
import { followWindow } from './editor/small-window.ts';
import { listenForFiles } from './actions/file-drop.ts';
import { NO_FILTER } from './model/filter.ts';
import { FindBar } from './find/FindBar.tsx';
import { FindReplaceDialog } from './find/FindReplaceDialog.tsx';
import { LiveRegion } from './LiveRegion.tsx';
import { MatrixGrid } from './MatrixGrid.tsx';
import { ApplySourceDialog } from './panel/ApplySourceDialog.tsx';
import { EvidencePanel } from './panel/EvidencePanel.tsx';
import { ReasonDialog } from './panel/ReasonDialog.tsx';
import { FieldPasteDialog } from './clipboard/FieldPasteDialog.tsx';
import { PasteDialog } from './clipboard/PasteDialog.tsx';
import { listenForPastedItems } from './actions/paste-items.ts';
import { listenToRowDrag } from './grid/row-drag.ts';
import { RowDialogs } from './rows/RowDialogs.tsx';
import { Pages } from './Pages.tsx';
import { PrintedMatrix } from './PrintedMatrix.tsx';
import { ReplaceDialog } from './ReplaceDialog.tsx';
import { AdjudicationDialog } from './review/AdjudicationDialog.tsx';
import { ReviewDialog } from './review/ReviewDialog.tsx';
import { ReviewList, type ReviewListProps } from './ReviewList.tsx';
import { StatusBar } from './StatusBar.tsx';
import { Chips } from './toolbar/Chips.tsx';
import { HelpSheet } from './toolbar/HelpSheet.tsx';
import { Toolbar } from './toolbar/Toolbar.tsx';
import { Tour } from './tour/Tour.tsx';
import {
  EditorProvider,
  SyncStatusProvider,
  useEditor,
  useEditorState,
  useHasItems,
  useMayWrite,
  useSaveStatus,
} from './editor/use-editor.ts';
import './matrix.css';
import './status-bar.css';
import { t } from '../../text/t.ts';

export interface MatrixEditorProps {
  session: MatrixSession;
  onRun: () => void;
  /** A file is to be read or written; without it neither is offered. */
  onFiles?: (request: FileRequest) => void;
  /** Rules to look at again, after outcomes were carried into this matrix. */
  review?: ReviewListProps | undefined;
  caseTitle: string;
  cspNonce: string | undefined;
  /** Gives how long changes have been pending; without it only since when. */
  clock?: { now(): number } | undefined;
  home?: Home;
  /** What stands below the evidence of a cell; the same function as long as the matrix is open. */
  beside?: ((cell: CellAddress) => ReactNode) | undefined;
  /** How the case stands with the hosted server that it is shared with. */
  beyond?: Beyond | null;
  /** How many other windows of this browser have the case open. */
  otherWindows?: number;
  /** Who else has the case open. */
  presence?: Presence;
  /** Reads independent recordings; the same as long as the matrix is open. */
  rounds?: ReleasedRounds | undefined;
}

/** The matrix of one case. Fills the height that it is given. */
export function MatrixEditor({
  session,
  onRun,
  onFiles,
  review,
  caseTitle,
  cspNonce,
  clock,
  home = 'local',
  beyond = null,
  beside,
  otherWindows = 0,
  presence = NOBODY,
  rounds,
}: MatrixEditorProps) {
  const latestRun = useRef(onRun);
  const latestFiles = useRef(onFiles);
  const takesFiles = onFiles !== undefined;
  const editor = useMemo(() => {
    const created = createEditor(session, () => latestRun.current(), clock);
    if (takesFiles) created.onFiles = (request) => latestFiles.current?.(request);
    created.rounds = rounds;
    return created;
  }, [session, takesFiles, clock, rounds]);
  useEffect(() => {
    latestRun.current = onRun;
    latestFiles.current = onFiles;
  }, [onRun, onFiles]);
  useEffect(() => editor.connect(), [editor]);
  useEffect(() => followWindow(editor.store), [editor]);
  useCommands(useMemo(() => createCommandSource(editor), [editor]));
  const root = useRef<HTMLElement>(null);
  useEffect(
    () => (root.current === null ? undefined : listenEverywhere(root.current, editor)),
    [editor],
  );
  useEffect(
    () => (root.current === null ? undefined : listenForFiles(root.current, editor)),
    [editor],
  );

  return (
    <EditorProvider value={editor}>
      <section
        ref={root}
        className="mx-editor"
        aria-label={t('Evidence of {caseTitle}', { caseTitle })}
      >
        <Frame
          clock={clock}
          home={home}
          beyond={beyond}
          otherWindows={otherWindows}
          presence={presence}
        >
          <Chips />
          {review !== undefined && <ReviewList {...review} />}
          <Body cspNonce={cspNonce} beside={beside} />
        </Frame>
        <Overlays />
        <PrintedMatrix caseTitle={caseTitle} />
      </section>
    </EditorProvider>
  );
}

const Body = memo(function Body({
  cspNonce,
  beside,
}: Pick<MatrixEditorProps, 'cspNonce' | 'beside'>) {
  return (
    <>
      <div className="mx-body">
        <Field cspNonce={cspNonce} />
        <EvidencePanel beside={beside} />
      </div>
      <FindBar />
      <Pages />
    </>
  );
});

const Overlays = memo(function Overlays() {
  return (
    <>
      <ContextMenu />
      <RowDialogs />
      <ApplySourceDialog />
      <ReasonDialog />
      <ReplaceDialog />
      <FindReplaceDialog />
      <PasteDialog />
      <FieldPasteDialog />
      <ReviewDialog />
      <AdjudicationDialog />
      <HelpSheet />
      <LiveRegion />
      <Tour />
    </>
  );
});

/** Toolbar and status bar around the matrix: both say where the work stands. */
function Frame({
  clock,
  home,
  beyond,
  otherWindows,
  presence,
  children,
}: {
  clock: { now(): number } | undefined;
  home: Home;
  beyond: Beyond | null;
  otherWindows: number;
  presence: Presence;
  children: ReactNode;
}) {
  const status = useSaveStatus();
  const now = useNow(clock, status.waiting + status.blocked + (beyond?.waiting ?? 0) > 0);
  const syncStatus = syncStatusOf(status, { home, beyond, now });
  return (
    <SyncStatusProvider value={syncStatus}>
      <Toolbar />
      {status.access.may === 'read' && (
        <p className="mx-read-only">
          <Lock size={14} aria-hidden="true" />{' '}
          <span>
            <strong>{t('Read only.')}</strong> {status.access.words}
          </span>
        </p>
      )}
      {children}
      <StatusBar otherWindows={otherWindows} presence={presence} />
    </SyncStatusProvider>
  );
}

function Field({ cspNonce }: { cspNonce: string | undefined }) {
  const editor = useEditor();
  const shown = useEditorState((state) => state.view.rowCount);
  const field = useRef<HTMLDivElement>(null);
  const mayWrite = useMayWrite();
  const hasItems = useHasItems();
  useEffect(
    () =>
      field.current === null || !hasItems || !mayWrite
        ? undefined
        : listenToRowDrag(field.current, editor),
    [editor, hasItems, mayWrite],
  );
  useEffect(() => (hasItems ? undefined : listenForPastedItems(editor)), [editor, hasItems]);
  // The button is removed with the message, so the focus moves to the cells.
  const clear = (): void => {
    editor.setFilter(NO_FILTER);
    editor.focusGrid();
  };
  if (!hasItems) {
    return (
      <div className="mx-empty">
        <EmptyState
          title={t('No items yet')}
          actions={
            mayWrite && (
              <>
                <Button
                  variant="primary"
                  icon={<Plus size={15} aria-hidden="true" />}
                  onClick={() => editor.show('add')}
                >
                  {t('Add items')}
                </Button>
                {editor.onFiles !== undefined && (
                  <Button
                    icon={<FileUp size={15} aria-hidden="true" />}
                    onClick={() => editor.onFiles?.({ do: 'import' })}
                  >
                    {t('Import a file')}
                  </Button>
                )}
              </>
            )
          }
        >
          <p>
            {mayWrite
              ? t(
                  'Items are the rows of the matrix: the candidates, clones or claims whose evidence is recorded. Paste a list of their identifiers or a table here, or import a CSV, TSV or XLSX file. Agents can add them over the API too.',
                )
              : t(
                  'Items are the rows of the matrix: the candidates, clones or claims whose evidence is recorded.',
                )}
          </p>
        </EmptyState>
      </div>
    );
  }
  return (
    <div ref={field} className="mx-field">
      <MatrixGrid cspNonce={cspNonce} />
      {shown === 0 && (
        <div className="mx-nothing">
          <SearchX size={22} aria-hidden="true" />
          <p>{t('No item passes the filter.')}</p>
          <Button onClick={clear}>{t('Clear filter')}</Button>
        </div>
      )}
    </div>
  );
}
