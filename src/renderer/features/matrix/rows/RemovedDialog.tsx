import { useState } from 'react';
import { formatCount, plural } from '../../../state/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { Confirm, Dialog } from '../../../ui/Dialog.tsx';
import { useEditor, useEditorState, useMayWrite, useRevision } from '../editor/use-editor.ts';
import { applyRows, goToItem, nameItems, removalOf, removeItems, selectedItems } from './rows.ts';

/** Asked only where something is on record of the items. */
export function RemoveDialog() {
  const open = useEditorState((state) => state.dialog === 'items-remove');
  return open ? <Remove /> : null;
}

function Remove() {
  const editor = useEditor();
  const [removal] = useState(() => removalOf(editor, selectedItems(editor)));
  const confirm = (): void => {
    editor.show(null);
    void removeItems(editor, removal);
  };
  const one = removal.uids.length === 1;
  return (
    <Confirm
      open
      onOpenChange={(next) => {
        if (!next) editor.show(null);
      }}
      title={`Remove ${nameItems(editor, removal.uids)}?`}
      action="Remove"
      busy={false}
      onConfirm={confirm}
    >
      <p>
        {plural(removal.cells, 'cell')} of {one ? 'it' : 'them'}{' '}
        {removal.cells === 1 ? 'is' : 'are'} recorded and will not be shown or counted in a run.
      </p>
      <p>
        Nothing is deleted: cells and history are kept, and come back with the{' '}
        {one ? 'item' : 'items'}.
      </p>
    </Confirm>
  );
}

/** Items listed at once; a filter finds the others. */
const LISTED = 200;

export function RemovedDialog() {
  const open = useEditorState((state) => state.dialog === 'items-removed');
  return open ? <Removed /> : null;
}

function Removed() {
  const editor = useEditor();
  useRevision();
  const mayWrite = useMayWrite();
  const [filter, setFilter] = useState('');
  const all = editor.session.removedItems();
  const needle = filter.trim().toLowerCase();
  const found =
    needle === ''
      ? all
      : all.filter(
          (item) =>
            item.item_uid.toLowerCase().includes(needle) ||
            item.label.toLowerCase().includes(needle),
        );
  const restore = async (uids: readonly string[]): Promise<void> => {
    const name = nameItems(editor, uids);
    const done = await applyRows(
      editor,
      {
        label: `Restore ${name}`,
        items: uids.map((item_uid) => ({ do: 'add', item_uid })),
      },
      `${name} restored, at the end`,
    );
    if (!done || editor.session.removedItems().length > 0) return;
    editor.show(null);
    requestAnimationFrame(() => goToItem(editor, uids[0] ?? ''));
  };
  return (
    <Dialog
      open
      wide
      onOpenChange={(next) => {
        if (!next) editor.show(null);
      }}
      title="Removed items"
      description="They come back at the end, with their cells and history."
      footer={
        <>
          <Button onClick={() => editor.show(null)}>Done</Button>
          {mayWrite && (
            <Button
              variant="primary"
              disabled={found.length === 0}
              onClick={() => void restore(found.map((item) => item.item_uid))}
            >
              {found.length < 2 ? 'Restore' : `Restore all ${formatCount(found.length)}`}
            </Button>
          )}
        </>
      }
    >
      {all.length > 10 && (
        <input
          type="search"
          className="input"
          aria-label="Find removed items"
          placeholder="Find"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      {found.length === 0 ? (
        <p className="muted">
          {all.length === 0 ? 'No item has been removed.' : 'None of them is called that.'}
        </p>
      ) : (
        <RemovedTable items={found} onRestore={(uid) => void restore([uid])} />
      )}
    </Dialog>
  );
}

function RemovedTable({
  items,
  onRestore,
}: {
  items: readonly { item_uid: string; label: string; item_type: string }[];
  onRestore: (uid: string) => void;
}) {
  const mayWrite = useMayWrite();
  return (
    <div className="mx-refusals" role="region" aria-label="Removed items" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">ID</th>
            <th scope="col">Label</th>
            <th scope="col">Type</th>
            <th scope="col">
              <span className="visually-hidden">Act</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.slice(0, LISTED).map((item) => (
            <tr key={item.item_uid}>
              <td className="mx-uid">{item.item_uid}</td>
              <td>{item.label}</td>
              <td>{item.item_type}</td>
              <td>
                {mayWrite && (
                  <Button
                    size="sm"
                    aria-label={`Restore ${item.label === '' ? item.item_uid : item.label}`}
                    onClick={() => onRestore(item.item_uid)}
                  >
                    Restore
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {items.length > LISTED && <p>and {formatCount(items.length - LISTED)} more</p>}
    </div>
  );
}
