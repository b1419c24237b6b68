import {
  CircleHelp,
  Download,
  FileUp,
  PanelRight,
  Play,
  Plus,
  Redo2,
  Scale,
  Undo2,
} from 'lucide-react';
import { memo } from 'react';
import { Button } from '../../../ui/Button.tsx';
import {
  useEditor,
  useEditorState,
  useHasItems,
  useMayWrite,
  useOffersWriting,
  useRevision,
} from '../editor/use-editor.ts';
import { actionById } from '../actions/actions.ts';
import { titleWith, useKeyHints } from '../actions/key-hint.ts';
import { CommandButton } from './CommandButton.tsx';
import { FilterBar } from './FilterBar.tsx';
import { LookMenu } from './LookMenu.tsx';
import { MoreMenu } from './MoreMenu.tsx';
import './toolbar.css';
import { t, tAs } from '../../../text/t.ts';

export const Toolbar = memo(function Toolbar() {
  const editor = useEditor();
  const mayWrite = useMayWrite();
  const offersWriting = useOffersWriting();
  const hasItems = useHasItems();
  return (
    <div className="mx-toolbar">
      <FilterBar />
      <div className="mx-tools">
        <Conflicts />
        {offersWriting && <History />}
        <ViewTools />
        <Files />
        <MoreMenu />
        {offersWriting && (
          <>
            <Button
              icon={<Plus size={15} aria-hidden="true" />}
              disabled={!mayWrite}
              onClick={() => editor.show('add')}
            >
              <span className="mx-add-label">{t('Add items')}</span>
            </Button>
            <Button
              variant="primary"
              icon={<Play size={14} aria-hidden="true" />}
              disabled={!hasItems || !mayWrite}
              onClick={() => editor.run()}
            >
              {tAs('verb', 'Run')}
            </Button>
          </>
        )}
      </div>
    </div>
  );
});

/** There while there are conflicts. */
function Conflicts() {
  const editor = useEditor();
  const keysOf = useKeyHints();
  useRevision();
  const count = editor.session.contestCount();
  if (count === 0) return null;
  const action = actionById('review.open');
  return (
    <Button
      icon={<Scale size={15} aria-hidden="true" />}
      title={titleWith(t('Resolve conflicts'), keysOf(action))}
      onClick={() => void action.run(editor)}
    >
      {t('{conflicts, plural, one {# conflict} other {# conflicts}}', { conflicts: count })}
    </Button>
  );
}

function Files() {
  return (
    <div className="mx-group mx-roomy">
      {useOffersWriting() && <CommandButton id="file.import" icon={FileUp} />}
      <CommandButton id="file.export" icon={Download} />
    </div>
  );
}

function History() {
  return (
    <div className="mx-group">
      <CommandButton id="history.undo" icon={Undo2} />
      <CommandButton id="history.redo" icon={Redo2} />
    </div>
  );
}

function ViewTools() {
  const panelOpen = useEditorState((state) => state.preferences.panelOpen);
  return (
    <div className="mx-group">
      <LookMenu />
      <CommandButton
        id="panel.toggle"
        icon={PanelRight}
        label={t('Evidence panel')}
        pressed={panelOpen}
      />
      <CommandButton id="help" icon={CircleHelp} className="mx-roomy" />
    </div>
  );
}
