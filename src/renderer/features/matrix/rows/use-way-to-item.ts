import { useRef } from 'react';
import { t } from '../../../text/t.ts';
import { notify } from '../editor/editor-state.ts';
import type { Editor } from '../editor/editor.ts';
import { useEditor } from '../editor/use-editor.ts';
import { itemName } from '../model/names.ts';
import { single } from '../model/selection.ts';

/** Where a dialog leaves the focus as it closes: at an item that has just come, if there is one. */
export function useWayToItem(): {
  setItem: (uid: string | undefined) => void;
  returnFocus: () => boolean;
} {
  const editor = useEditor();
  const item = useRef<string>(undefined);
  return {
    setItem: (uid) => {
      item.current = uid;
    },
    returnFocus: () => item.current !== undefined && goToItem(editor, item.current),
  };
}

/** False where the filter hides the item, which is said. */
function goToItem(editor: Editor, uid: string): boolean {
  const { view, selection } = editor.store.getState();
  if (view.rowOf(uid) < 0) {
    notify(
      editor.store,
      t('{item} is there, but the filter hides it.', { item: itemName(editor.session, uid) }),
    );
    return false;
  }
  editor.select(single({ item: uid, rule: selection?.focus.rule ?? view.ruleAt(0) }));
  return true;
}
