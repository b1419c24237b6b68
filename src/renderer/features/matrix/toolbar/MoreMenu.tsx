import { Menu as Base } from '@base-ui/react/menu';
import { Ellipsis } from 'lucide-react';
import { Fragment, useRef } from 'react';
import { MenuPopup } from '../../../ui/MenuPopup.tsx';
import { type EditorAction, actionById, isShown } from '../actions/actions.ts';
import { useEditor, useOffered } from '../editor/use-editor.ts';
import { useKeyHints } from '../actions/key-hint.ts';
import { t } from '../../../text/t.ts';

const SECTIONS: readonly (readonly string[])[] = [
  ['find', 'find.replace', 'go.item', 'go.rule', 'move.unrecorded', 'review.next', 'review.open'],
  ['file.import', 'file.export', 'file.history'],
  ['panel.toggle', 'palette', 'help', 'tour'],
];

/** What has no button of its own, or none where the window is narrow. */
export function MoreMenu() {
  const editor = useEditor();
  const chosen = useRef<EditorAction>(undefined);
  /** Once the menu is closed: a command may move the focus. */
  const leave = (): boolean => {
    const action = chosen.current;
    chosen.current = undefined;
    if (action === undefined) return true;
    editor.focusGrid();
    action.run(editor);
    return false;
  };
  return (
    <Base.Root modal={false}>
      <Base.Trigger className="btn btn-ghost btn-icon" aria-label={t('More')} title={t('More')}>
        <Ellipsis size={16} aria-hidden="true" />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="popup-positioner" sideOffset={4} align="end">
          <MenuPopup className="popup mx-menu" finalFocus={leave}>
            {SECTIONS.map((ids, section) => (
              <Fragment key={ids[0]}>
                {section > 0 && <Base.Separator className="popup-line" />}
                {ids
                  .map(actionById)
                  .filter((action) => isShown(action, editor))
                  .map((action) => (
                    <Command
                      key={action.id}
                      action={action}
                      onChoose={(action) => {
                        chosen.current = action;
                      }}
                    />
                  ))}
              </Fragment>
            ))}
          </MenuPopup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function Command({
  action,
  onChoose,
}: {
  action: EditorAction;
  onChoose: (action: EditorAction) => void;
}) {
  const keysOf = useKeyHints();
  return (
    <Base.Item
      className="popup-item"
      disabled={!useOffered(action)}
      onClick={() => onChoose(action)}
    >
      <span className="mx-menu-label">{action.label}</span>
      <span className="mx-menu-keys" aria-hidden="true">
        {keysOf(action)}
      </span>
    </Base.Item>
  );
}
