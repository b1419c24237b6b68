import { Bookmark, Pencil, RotateCcw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../../../ui/Button.tsx';
import { Popover } from '../../../ui/Popover.tsx';
import { TextField } from '../../../ui/Field.tsx';
import { type Arrangement, isPlainArrangement, PLAIN } from '../model/arrangement.ts';
import {
  deleteView,
  loadViews,
  nameProblem,
  renameView,
  saveView,
  type SavedView,
} from '../model/saved-views.ts';
import { useEditor, useEditorState } from '../editor/use-editor.ts';
import { t } from '../../../text/t.ts';

/** Columns, order and filter under a name, for this profile on this computer. */
export function ViewsPopover() {
  return (
    <Popover label={t('Views')} icon={<Bookmark size={14} aria-hidden="true" />}>
      <Views />
    </Popover>
  );
}

function useArrangement(): Arrangement {
  const columns = useEditorState((state) => state.columns);
  const sort = useEditorState((state) => state.sort);
  const filter = useEditorState((state) => state.filter);
  return { columns, sort, filter };
}

function Views() {
  const editor = useEditor();
  const {
    session: { profile, rules },
    announce,
  } = editor;
  const now = useArrangement();
  const [views, setViews] = useState(() => loadViews(profile.profileUid, rules));
  const [renaming, setRenaming] = useState<string | null>(null);
  const [failed, setFailed] = useState(false);
  const after = (kept: boolean, words: string): void => {
    setFailed(!kept);
    if (kept) announce(words);
    setViews(loadViews(profile.profileUid, rules));
  };
  const isNow = (arrangement: Arrangement): boolean =>
    JSON.stringify(arrangement) === JSON.stringify(now);
  const apply = (name: string, arrangement: Arrangement): void => {
    editor.arrange(arrangement);
    announce(t('View applied: {name}', { name }));
  };
  return (
    <div className="mx-pop">
      <ul className="mx-views" aria-label={t('Saved views')}>
        {views.map((view) =>
          renaming === view.name ? (
            <li key={view.name}>
              <NameForm
                label={t('New name')}
                action={t('Rename')}
                start={view.name}
                views={views}
                own={view.name}
                onName={(name) => {
                  after(
                    renameView(profile.profileUid, view.name, name),
                    t('View renamed: {name}', { name }),
                  );
                  setRenaming(null);
                }}
              />
            </li>
          ) : (
            <SavedView
              key={view.name}
              name={view.name}
              isNow={isNow(view.arrangement)}
              onApply={() => apply(view.name, view.arrangement)}
              onRename={() => setRenaming(view.name)}
              onDelete={() =>
                after(
                  deleteView(profile.profileUid, view.name),
                  t('View deleted: {name}', { name: view.name }),
                )
              }
            />
          ),
        )}
      </ul>
      {views.length === 0 && (
        <p className="muted small">
          {t('No view saved yet. A view keeps the columns, the order of the items and the filter.')}
        </p>
      )}
      <NameForm
        label={t('Name of the present view')}
        action={t('Save')}
        start=""
        views={views}
        onName={(name) =>
          after(
            saveView(profile.profileUid, { name, arrangement: now }),
            t('View saved: {name}', { name }),
          )
        }
      />
      {failed && (
        <p className="field-error" role="alert">
          {t("Not saved: this browser's storage is full or switched off.")}
        </p>
      )}
      <Button
        size="sm"
        icon={<RotateCcw size={13} aria-hidden="true" />}
        disabled={isPlainArrangement(now)}
        onClick={() => apply(t('all items and rules'), PLAIN)}
      >
        {t('All items and rules')}
      </Button>
    </div>
  );
}

interface SavedViewProps {
  name: string;
  isNow: boolean;
  onApply: () => void;
  onRename: () => void;
  onDelete: () => void;
}

function SavedView({ name, isNow, onApply, onRename, onDelete }: SavedViewProps) {
  return (
    <li>
      <button type="button" className="mx-view" aria-current={isNow || undefined} onClick={onApply}>
        {name}
      </button>
      <IconButton label={t('Rename {name}', { name })} onClick={onRename}>
        <Pencil size={13} aria-hidden="true" />
      </IconButton>
      <IconButton label={t('Delete {name}', { name })} onClick={onDelete}>
        <Trash2 size={13} aria-hidden="true" />
      </IconButton>
    </li>
  );
}

interface NameFormProps {
  label: string;
  action: string;
  start: string;
  views: readonly SavedView[];
  own?: string;
  onName: (name: string) => void;
}

function NameForm({ label, action, start, views, own, onName }: NameFormProps) {
  const [name, setName] = useState(start);
  const [error, setError] = useState<string | undefined>();
  return (
    <form
      className="mx-name"
      onSubmit={(event) => {
        event.preventDefault();
        const problem = nameProblem(name, views, own);
        setError(problem);
        if (problem !== undefined) return;
        onName(name.trim());
        setName('');
      }}
    >
      <TextField
        name="view"
        label={label}
        value={name}
        onValue={setName}
        error={error}
        autoComplete="off"
      />
      <Button size="sm" type="submit">
        {action}
      </Button>
    </form>
  );
}
