import { useState } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { Confirm, Dialog } from '../../../ui/Dialog.tsx';
import { useEditor, useEditorState, useMayWrite, useRevision } from '../editor/use-editor.ts';
import { applyRows, removalOf, removeItems, selectedItems, itemsAsValues } from './rows.ts';
import { useWayToItem } from './use-way-to-item.ts';
import { t } from '../../../text/t.ts';

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
  const items = removal.uids.length;
  return (
    <Confirm
      onClose={() => editor.show(null)}
      title={t(
        '{count, plural, =1 {Remove {name}?} other {Remove # items?}}',
        itemsAsValues(editor, removal.uids),
      )}
      action={t('Remove')}
      busy={false}
      onConfirm={confirm}
    >
      <p>
        {t(
          '{items, plural, one {{cells, plural, one {# cell of it is} other {# cells of it are}}} other {{cells, plural, one {# cell of them is} other {# cells of them are}}}} recorded and will not be shown or counted in a run.',
          { items, cells: removal.cells },
        )}
      </p>
      <p>
        {t(
          'Nothing is deleted: cells and history are kept, and come back with the {items, plural, one {item} other {items}}.',
          { items },
        )}
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
  const way = useWayToItem();
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
    const values = itemsAsValues(editor, uids);
    const done = await applyRows(
      editor,
      {
        label: t('{count, plural, =1 {Restore {name}} other {Restore # items}}', values),
        items: uids.map((item_uid) => ({ do: 'add', item_uid })),
      },
      t('{count, plural, =1 {{name}} other {# items}} restored, at the end', values),
    );
    if (!done || editor.session.removedItems().length > 0) return;
    way.setItem(uids[0]);
    editor.show(null);
  };
  return (
    <Dialog
      wide
      onClose={() => editor.show(null)}
      returnFocus={way.returnFocus}
      title={t('Removed items')}
      description={t('They come back at the end, with their cells and history.')}
      footer={
        <>
          <Button onClick={() => editor.show(null)}>{t('Done')}</Button>
          {mayWrite && (
            <Button
              variant="primary"
              disabled={found.length === 0}
              onClick={() => void restore(found.map((item) => item.item_uid))}
            >
              {found.length < 2
                ? t('Restore')
                : t('Restore all {count, number}', { count: found.length })}
            </Button>
          )}
        </>
      }
    >
      {all.length > 10 && (
        <input
          type="search"
          className="input"
          aria-label={t('Find removed items')}
          placeholder={t('Find')}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      {found.length === 0 ? (
        <p className="muted">
          {all.length === 0 ? t('No item has been removed.') : t('None of them is called that.')}
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
    <div className="mx-refusals" role="region" aria-label={t('Removed items')} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('ID')}</th>
            <th scope="col">{t('Label')}</th>
            <th scope="col">{t('Type')}</th>
            <th scope="col">
              <span className="visually-hidden">{t('Act')}</span>
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
                    aria-label={t('Restore {name}', {
                      name: item.label === '' ? item.item_uid : item.label,
                    })}
                    onClick={() => onRestore(item.item_uid)}
                  >
                    {t('Restore')}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {items.length > LISTED && (
        <p>{t('and {more, number} more', { more: items.length - LISTED })}</p>
      )}
    </div>
  );
}
