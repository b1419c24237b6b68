import { useEffect, useMemo, useState } from 'react';
import { createPace } from '../../../files/pace.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { CheckField, TextArea } from '../../../ui/Field.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { useEditor, useEditorState } from '../editor/use-editor.ts';
import { type AddPlan, editsOf, NO_ITEMS, planItems } from './add-plan.ts';
import type { RefusedLine } from './item-lines.ts';
import { PlaceChoice } from './PlaceChoice.tsx';
import { applyRows, firstSelected, type InsertPlace } from './rows.ts';
import { useWayToItem } from './use-way-to-item.ts';
import { t } from '../../../text/t.ts';

/** Lines listed at once; of the others the number is shown. */
const LISTED = 200;

export function AddItemsDialog() {
  const open = useEditorState((state) => state.dialog === 'add');
  return open ? <AddItems /> : null;
}

interface AddedItems {
  count: number;
  refused: readonly RefusedLine[];
}

/** The list that is typed or pasted, and adding what it holds. */
function useItemList() {
  const editor = useEditor();
  const [before] = useState(() => firstSelected(editor));
  const [place, setPlace] = useState<InsertPlace>('end');
  const [text, setText] = useState(() => editor.store.getState().listed);
  const [withFlagged, setWithFlagged] = useState(false);
  const [busy, setBusy] = useState(false);
  const { plan, isReading } = usePlan(text);
  return {
    text,
    setText,
    plan,
    place: { before, place, onPlace: setPlace },
    withFlagged,
    setWithFlagged,
    busy: busy || isReading,
    count: plan.items.length - (withFlagged ? 0 : plan.flagged.length),
    /** What was added and what was not; undefined where nothing was, which is shown. */
    add: async (): Promise<(AddedItems & { first: string | undefined }) | undefined> => {
      setBusy(true);
      // Very many rows take a moment: the button says so first.
      await new Promise((resolve) => {
        requestAnimationFrame(() => setTimeout(resolve));
      });
      const items = editsOf(plan, withFlagged, place === 'before' ? before : undefined);
      const refused = [...plan.refused, ...(withFlagged ? [] : plan.flagged)].sort(
        (a, b) => a.line - b.line,
      );
      const done = await applyRows(
        editor,
        {
          label: t('Add {items, plural, one {# item} other {# items}}', { items: items.length }),
          items,
        },
        refused.length === 0
          ? t('{items, plural, one {# item} other {# items}} added', { items: items.length })
          : t('{items, plural, one {# item} other {# items}} added, {refused, number} not', {
              items: items.length,
              refused: refused.length,
            }),
      );
      setBusy(false);
      const [first] = items;
      return done
        ? {
            count: items.length,
            refused,
            first: first?.do === 'add' ? first.item_uid : undefined,
          }
        : undefined;
    },
  };
}

function AddItems() {
  const editor = useEditor();
  const { session } = editor;
  // Opened from the empty matrix: the button that was pressed is gone with the first item.
  const [wasEmpty] = useState(() => session.items.length === 0);
  const list = useItemList();
  const way = useWayToItem();
  const [added, setAdded] = useState<AddedItems>();
  const close = (): void => editor.store.setState({ dialog: null, listed: '' });
  const add = async (): Promise<void> => {
    const done = await list.add();
    if (done === undefined) return;
    const { first, refused } = done;
    if (refused.length > 0) {
      setAdded(done);
      return;
    }
    if (!wasEmpty) way.setItem(first);
    close();
  };
  const again = (refused: readonly RefusedLine[]): void => {
    list.setText(refused.map((entry) => entry.item_uid).join('\n'));
    setAdded(undefined);
  };
  return (
    <Dialog
      onClose={close}
      title={t('Add items')}
      wide
      returnFocus={() => {
        if (!wasEmpty || session.items.length === 0) return way.returnFocus();
        editor.focusGrid();
        return true;
      }}
      footer={
        added === undefined ? (
          <>
            <Button onClick={close}>{t('Cancel')}</Button>
            <Button
              variant="primary"
              busy={list.busy}
              disabled={list.count === 0}
              onClick={() => void add()}
            >
              {list.count === 0
                ? t('Add items')
                : t('Add {items, plural, one {# item} other {# items}}', { items: list.count })}
            </Button>
          </>
        ) : (
          <>
            <Button onClick={() => again(added.refused)}>{t('Correct these')}</Button>
            <Button variant="primary" onClick={close}>
              {t('Done')}
            </Button>
          </>
        )
      }
    >
      {added === undefined ? (
        <ItemList list={list} />
      ) : (
        <>
          <p>
            {t(
              '{items, plural, one {# item} other {# items}} added. {refused, plural, one {# line was} other {# lines were}} not:',
              { items: added.count, refused: added.refused.length },
            )}
          </p>
          <Lines lines={added.refused} name={t('Refused lines')} why={t('Why it is refused')} />
        </>
      )}
    </Dialog>
  );
}

function ItemList({ list }: { list: ReturnType<typeof useItemList> }) {
  const { session } = useEditor();
  const { plan } = list;
  const [removed] = useState(() => new Set(session.removedItems().map((item) => item.item_uid)));
  const back = useMemo(
    () => (removed.size === 0 ? 0 : plan.items.filter((item) => removed.has(item.item_uid)).length),
    [plan, removed],
  );
  return (
    <>
      <TextArea
        name="items"
        label={t('Item IDs, one a line')}
        hint={t(
          'A label and a type may follow, each after a tab. Rows copied from a spreadsheet fit as they are: first column ID, second label, third type; a first row with these names may put them in another order.',
        )}
        rows={9}
        value={list.text}
        onValue={list.setText}
      />
      <PlaceChoice {...list.place} />
      {plan.hasHeader && (
        <p className="muted small">{t('The first line names the columns and is no item.')}</p>
      )}
      {back > 0 && (
        <p role="status">
          {t(
            '{items, plural, one {# item was removed before and comes back with its cells.} other {# items were removed before and come back with their cells.}}',
            { items: back },
          )}
        </p>
      )}
      {plan.flagged.length > 0 && (
        <Notice
          tone="warning"
          live
          title={t(
            '{ids, plural, one {# ID} other {# IDs}} may have been changed by a spreadsheet',
            { ids: plan.flagged.length },
          )}
        >
          <p>{t('Look at the source. An ID cannot be changed later.')}</p>
          <Lines lines={plan.flagged} name={t('Flagged lines')} why={t('Why it is flagged')} />
          <CheckField
            label={t('Add them as they are')}
            checked={list.withFlagged}
            onChecked={list.setWithFlagged}
          />
        </Notice>
      )}
      {plan.refused.length > 0 && (
        <>
          <p role="status">
            {t('{lines, plural, one {# line} other {# lines}} cannot be added:', {
              lines: plan.refused.length,
            })}
          </p>
          <Lines lines={plan.refused} name={t('Refused lines')} why={t('Why it is refused')} />
        </>
      )}
    </>
  );
}

/** What the text would add, read in slices while the person types. */
function usePlan(text: string): { plan: AddPlan; isReading: boolean } {
  const { session } = useEditor();
  const [read, setRead] = useState({ text: '', plan: NO_ITEMS });
  useEffect(() => {
    const given = new AbortController();
    planItems(text, session, createPace(given.signal)).then(
      (plan) => {
        if (!given.signal.aborted) setRead({ text, plan });
      },
      () => undefined,
    );
    return () => given.abort();
  }, [text, session]);
  return { plan: read.plan, isReading: read.text !== text };
}

function Lines({ lines, name, why }: { lines: readonly RefusedLine[]; name: string; why: string }) {
  return (
    <div className="mx-refusals" role="region" aria-label={name} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('Line')}</th>
            <th scope="col">{t('Item')}</th>
            <th scope="col">{why}</th>
          </tr>
        </thead>
        <tbody>
          {lines.slice(0, LISTED).map((entry) => (
            <tr key={`${entry.line} ${entry.item_uid}`}>
              <td>{entry.line}</td>
              <td className="mx-uid">{entry.item_uid}</td>
              <td>{entry.message}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {lines.length > LISTED && (
        <p>{t('and {more, number} more', { more: lines.length - LISTED })}</p>
      )}
    </div>
  );
}
