import { X } from 'lucide-react';
import { IconButton } from '../../../ui/Button.tsx';
import { rectsOf, sizeOfAll } from '../model/selection.ts';
import { useEditor, useEditorState, useOffersWriting } from '../editor/use-editor.ts';
import { ItemFields } from './ItemFields.tsx';
import { Head, PanelBody } from './PanelBody.tsx';
import { ResizeHandle } from './ResizeHandle.tsx';
import type { CellAddress } from '../../../data/store/port.ts';
import type { ReactNode } from 'react';
import { useFollowed } from './use-followed.ts';
import './panel.css';
import './panel-cell.css';
import './history.css';
import { t } from '../../../text/t.ts';

type Beside = ((cell: CellAddress) => ReactNode) | undefined;

export function EvidencePanel({ beside }: { beside?: Beside }) {
  const editor = useEditor();
  const { panelOpen, panelWidth } = useEditorState((state) => state.preferences);
  const hasRows = useEditorState((state) => state.view.rowCount > 0);
  if (!panelOpen || !hasRows) return null;
  return (
    <>
      <ResizeHandle width={panelWidth} />
      <aside
        className="mx-panel"
        aria-label={t('Evidence of the cell')}
        style={{ width: panelWidth }}
      >
        <IconButton
          label={t('Close the evidence panel')}
          className="mx-panel-close"
          onClick={() => {
            editor.prefer({ panelOpen: false });
            editor.focusGrid();
          }}
        >
          <X size={15} aria-hidden="true" />
        </IconButton>
        <Followed beside={beside} />
      </aside>
    </>
  );
}

function Followed({ beside }: { beside: Beside }) {
  const view = useEditorState((state) => state.view);
  const { selection, revision } = useFollowed();
  const selected = sizeOfAll(rectsOf(selection, view));
  const offersWriting = useOffersWriting();
  const { session } = useEditor();
  const row = session.rowOf(selection?.focus.item ?? '');
  const item = session.items[row];
  if (selection !== null && item !== undefined && view.fieldOf(selection.focus.rule) >= 0)
    return (
      <div className="mx-panel-body">
        <Head item={item} row={row} column={-1} />
        <ItemFields item={item} isOpen />
      </div>
    );
  if (selection === null || selected === 0)
    return (
      <p className="mx-panel-none">
        {offersWriting
          ? t(
              'Choose a cell to see what its rule asks, and to record the outcome, its source and notes.',
            )
          : t('Choose a cell to see what its rule asks, its outcome, source, notes and history.')}
      </p>
    );
  return (
    <PanelBody cell={selection.focus} revision={revision} selected={selected} beside={beside} />
  );
}
