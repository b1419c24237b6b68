import { CircleHelp, Download, FileUp, PanelRight, Play, Plus, Redo2, Undo2 } from 'lucide-react';
import { Button, IconButton } from '../../../ui/Button.tsx';
import { Select } from '../../../ui/Select.tsx';
import { actionById } from '../actions.ts';
import { useEditor, useEditorState, useRevision } from '../use-editor.ts';
import { FilterBar } from './FilterBar.tsx';
import { titleWith, useKeyHints } from './key-hint.ts';
import { LookMenu } from './LookMenu.tsx';
import { SaveState } from './SaveState.tsx';
import './toolbar.css';

const ADVANCE = [
  { value: 'off', label: 'Stay' },
  { value: 'down', label: 'Down' },
  { value: 'right', label: 'Right' },
] as const;

export function Toolbar({ clock }: { clock: { now(): number } | undefined }) {
  const editor = useEditor();
  useRevision();
  const hasItems = editor.session.items.length > 0;
  return (
    <div className="mx-toolbar">
      <FilterBar />
      <div className="mx-tools">
        <SaveState clock={clock} />
        <History />
        <ViewTools />
        <Files />
        <Button icon={<Plus size={15} aria-hidden="true" />} onClick={() => editor.show('add')}><span className="mx-add-label">Add items</span></Button>
        <Button variant="primary" icon={<Play size={14} aria-hidden="true" />} disabled={!hasItems} onClick={() => editor.run()}>Run</Button>
      </div>
    </div>
  );
}

function Files() {
  const editor = useEditor();
  return (
    <div className="mx-group">
      {([['file.import', FileUp], ['file.export', Download]] as const).map(([id, Icon]) => {
        const action = actionById(id);
        return <IconButton key={id} label={action.label} disabled={action.isEnabled?.(editor) === false} onClick={() => void action.run(editor)}><Icon size={16} aria-hidden="true" /></IconButton>;
      })}
    </div>
  );
}

function History() {
  const editor = useEditor();
  const keysOf = useKeyHints();
  useRevision();
  // An undo that found nothing left to take back changes no cell, but it is announced.
  useEditorState((state) => state.announcement);
  return (
    <div className="mx-group">
      {([['history.undo', Undo2], ['history.redo', Redo2]] as const).map(([id, Icon]) => {
        const action = actionById(id);
        return (
          <IconButton key={id} label={action.label} title={titleWith(action.label, keysOf(action))} disabled={action.isEnabled?.(editor) === false} onClick={() => void action.run(editor)}>
            <Icon size={16} aria-hidden="true" />
          </IconButton>
        );
      })}
    </div>
  );
}

function ViewTools() {
  const editor = useEditor();
  const { advance, panelOpen } = useEditorState((state) => state.preferences);
  return (
    <div className="mx-group">
      <Select inline label="After T, F, N" options={ADVANCE} value={advance} onValue={(value) => editor.prefer({ advance: value })} />
      <LookMenu />
      <IconButton label="Evidence panel" aria-pressed={panelOpen} onClick={() => editor.prefer({ panelOpen: !panelOpen })}><PanelRight size={16} aria-hidden="true" /></IconButton>
      <IconButton label="Keys and signs" onClick={() => editor.show('help')}><CircleHelp size={16} aria-hidden="true" /></IconButton>
    </div>
  );
}
