import { cellName } from '../model/names.ts';
import { Menu } from '@base-ui/react/menu';
import { useMemo, useRef, useState } from 'react';
import { MenuPopup } from '../../../ui/MenuPopup.tsx';
import { type EditorAction, menuActions, isOffered, isShown } from './actions.ts';
import type { OpenMenu } from '../editor/editor-state.ts';
import { Mark } from '../../../ui/OutcomeMark.tsx';
import { fieldRectOf, rectsOf, sizeOf, sizeOfAll } from '../model/selection.ts';
import type { StateKey } from '../model/states.ts';
import { useKeyHints } from './key-hint.ts';
import { useEditor, useEditorState } from '../editor/use-editor.ts';
import './context-menu.css';
import { t } from '../../../text/t.ts';

const MARKS: Record<string, StateKey> = {
  'record.false': 'FALSE',
  'record.true': 'TRUE',
  'record.na': 'NA',
  'record.clear': 'unrecorded',
};

/** The menu of a cell, an item or a rule, by the right button, Shift+F10 or the menu key. */
export function ContextMenu() {
  const editor = useEditor();
  const open = useEditorState((state) => state.menu);
  const popup = useRef<HTMLDivElement>(null);
  const chosen = useRef<EditorAction>(null);
  /**
   * The last one stays while it goes; another is a menu of its own, which the closing of this one
   * does not touch.
   */
  const [{ menu, count }, setShown] = useState({ menu: open, count: 0 });
  if (open !== null && open !== menu) setShown({ menu: open, count: count + 1 });
  const anchor = useMemo(
    () => ({ getBoundingClientRect: () => new DOMRect(menu?.x, menu?.y, 0, 0) }),
    [menu],
  );
  const home = menu?.from?.isConnected === true ? menu.from : null;
  /**
   * A command has the focus brought back before it runs; after a click outside the menu it is where
   * the person has put it.
   */
  const focusAfter = (): HTMLElement | null | false => {
    const { activeElement } = document;
    const isFree =
      activeElement === document.body || popup.current?.contains(activeElement) === true;
    return isFree && chosen.current === null ? home : false;
  };
  const afterClosing = (isOpen: boolean): void => {
    const action = chosen.current;
    if (isOpen || action === null) return;
    chosen.current = null;
    home?.focus({ preventScroll: true });
    action.run(editor);
  };
  return (
    <Menu.Root
      key={count}
      open={open !== null}
      modal={false}
      onOpenChange={(isOpen) => {
        if (!isOpen) editor.store.setState({ menu: null });
      }}
      onOpenChangeComplete={afterClosing}
    >
      <Menu.Portal>
        <Menu.Positioner
          className="popup-positioner"
          anchor={anchor}
          align="start"
          sideOffset={2}
          collisionPadding={8}
          collisionAvoidance={{ side: 'shift', align: 'shift' }}
        >
          <MenuPopup
            frame={popup}
            className="popup mx-menu mx-context"
            aria-label={t('Commands for the selection')}
            finalFocus={focusAfter}
            onContextMenu={(event) => event.preventDefault()}
          >
            {menu !== null && (
              <Entries
                menu={menu}
                onChoose={(action) => {
                  chosen.current = action;
                }}
              />
            )}
          </MenuPopup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function Entries({ menu, onChoose }: { menu: OpenMenu; onChoose: (action: EditorAction) => void }) {
  const editor = useEditor();
  const keyHint = useKeyHints();
  const { selection, view } = editor.store.getState();
  const fields = fieldRectOf(selection, view);
  const size = fields === null ? sizeOfAll(rectsOf(selection, view)) : sizeOf(fields);
  return (
    <>
      <p className="popup-label mx-menu-on">
        {size === 1 && selection !== null
          ? cellName(editor.session, selection.focus)
          : fields === null
            ? t('{size, plural, one {# cell} other {# cells}} selected', { size })
            : t('{size, plural, one {# field} other {# fields}} selected', { size })}
      </p>
      {menuActions(menu.place)
        .map((section) => section.filter((action) => isShown(action, editor)))
        .filter((section) => section.length > 0)
        .map((section) => (
          <Menu.Group key={section[0]?.id} className="mx-menu-part">
            {section.map((action) => (
              <Menu.Item
                key={action.id}
                className="popup-item"
                disabled={!isOffered(action, editor)}
                onClick={() => onChoose(action)}
              >
                <span className="mx-menu-sign" aria-hidden="true">
                  {MARKS[action.id] !== undefined && <Mark state={MARKS[action.id]!} />}
                </span>
                <span className="mx-menu-label">{action.label}</span>
                <span className="mx-menu-keys" aria-hidden="true">
                  {keyHint(action)}
                </span>
              </Menu.Item>
            ))}
          </Menu.Group>
        ))}
    </>
  );
}
