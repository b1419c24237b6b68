import { Menu } from '@base-ui/react/menu';
import type { Editor } from '../editor/editor.ts';
import { useEditor, useEditorState } from '../editor/use-editor.ts';
import { widen } from '../model/column-plan.ts';
import { sameSort, type Sort } from '../model/sort.ts';
import { t } from '../../../text/t.ts';

/** Orders of the items that a column's menu offers. */
export function SortRows({ choices }: { choices: readonly { label: string; sort: Sort }[] }) {
  const editor = useEditor();
  const sort = useEditorState((state) => state.sort);
  return (
    <Menu.Group>
      <Menu.GroupLabel className="popup-label">{t('Sort the items')}</Menu.GroupLabel>
      {choices.map((choice) => (
        <Menu.CheckboxItem
          key={choice.label}
          className="popup-item popup-check"
          closeOnClick
          checked={sameSort(sort, choice.sort)}
          onCheckedChange={() => editor.setSort(choice.sort)}
        >
          <span className="popup-mark" aria-hidden="true">
            {sameSort(sort, choice.sort) ? '●' : ''}
          </span>
          {choice.label}
        </Menu.CheckboxItem>
      ))}
    </Menu.Group>
  );
}

export function Row({
  label,
  disabled = false,
  stays = false,
  run,
}: {
  label: string;
  disabled?: boolean;
  stays?: boolean;
  run: () => void;
}) {
  return (
    <Menu.Item
      className="popup-item popup-plain"
      disabled={disabled}
      closeOnClick={!stays}
      onClick={run}
    >
      {label}
    </Menu.Item>
  );
}

export function widenBy(editor: Editor, column: string, by: number): void {
  const width = editor.columnWidth(column);
  if (width !== undefined)
    editor.arrange({ columns: widen(editor.store.getState().columns, column, width + by) });
}
