import { cellName } from '../model/names.ts';
import { Menu } from '@base-ui/react/menu';
import { useMemo, useRef, useState } from 'react';
import { MenuPopup } from '../../../ui/MenuPopup.tsx';
import { type EditorAction, menuActions, isOffered, isShown } from './actions.ts';
import type { Editor } from '../editor/editor.ts';
import { notify, type OpenMenu } from '../editor/editor-state.ts';
import { Mark } from '../../../ui/OutcomeMark.tsx';
import { fieldRectOf, rectsOf, type Selection, sizeOf, sizeOfAll } from '../model/selection.ts';
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
  const menu = useEditorState((state) => state.menu);
  return menu === null ? null : <Opened key={`${menu.x} ${menu.y}`} menu={menu} />;
}

/** Open as long as it is drawn, so that the next key is never its own. */
function Opened({ menu }: { menu: OpenMenu }) {
  const editor = useEditor();
  const popup = useRef<HTMLDivElement>(null);
  const chosen = useRef<EditorAction>(null);
  const [selection] = useState(() => editor.store.getState().selection);
  const anchor = useMemo(
    () => ({ getBoundingClientRect: () => new DOMRect(menu.x, menu.y, 0, 0) }),
    [menu],
  );
  const home = menu.from?.isConnected === true ? menu.from : null;
  /** After a click outside the menu the focus is where the person has put it. */
  const focusAfter = (): HTMLElement | null | false => {
    const { activeElement } = document;
    const isFree =
      activeElement === document.body || popup.current?.contains(activeElement) === true;
    return isFree ? home : false;
  };
  /** The focus is back before a command runs, so that whatever it opens returns it there too. */
  const close = (): void => {
    editor.store.setState({ menu: null });
    const action = chosen.current;
    if (action === null) return;
    // As the focus leaves it, the menu may close once more.
    chosen.current = null;
    home?.focus({ preventScroll: true });
    if (menu.place !== 'rule' && selection !== null && isRemoved(editor, selection))
      notify(editor.store, t('Nothing was done: others have removed the item meanwhile.'));
    else action.run(editor);
  };
  return (
    <Menu.Root open modal={false} onOpenChange={close}>
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
            <Entries
              menu={menu}
              selection={selection}
              onChoose={(action) => {
                chosen.current = action;
              }}
            />
          </MenuPopup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

/** The selection has then gone on to the row in its place. */
const isRemoved = ({ session }: Editor, { focus }: Selection): boolean =>
  session.rowOf(focus.item) < 0;

function Entries({
  menu,
  selection,
  onChoose,
}: {
  menu: OpenMenu;
  selection: Selection | null;
  onChoose: (action: EditorAction) => void;
}) {
  const editor = useEditor();
  const keyHint = useKeyHints();
  const { view } = editor.store.getState();
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
