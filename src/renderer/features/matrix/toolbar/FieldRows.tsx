import { Menu } from '@base-ui/react/menu';
import { useEditor, useEditorState } from '../editor/use-editor.ts';
import {
  changeField,
  COLUMN_WIDTH,
  hideField,
  stepField,
  widen,
  widthOf,
} from '../model/column-plan.ts';
import { FIELD_TYPE_LABELS, FIELD_TYPES, fieldId } from '../model/fields.ts';
import { withField } from '../model/filter.ts';
import { CASE_ORDER, FIELD_ORDER_WORDS } from '../model/sort.ts';
import { Row, SortRows, widenBy } from './menu-rows.tsx';
import { t } from '../../../text/t.ts';

/** The menu of a field's heading. */
export function FieldRows({ name }: { name: string }) {
  const editor = useEditor();
  const columns = useEditorState((state) => state.columns);
  const filter = useEditorState((state) => state.filter);
  const field = columns.fields.find(({ key }) => key === name);
  if (field === undefined) return null;
  const { type } = field;
  const id = fieldId(name);
  const [up, down] = FIELD_ORDER_WORDS[type];
  const [left, right] = [stepField(columns, name, -1), stepField(columns, name, 1)];
  const arrange = (next: typeof columns | undefined): void => {
    if (next !== undefined) editor.arrange({ columns: next });
  };
  return (
    <>
      <SortRows
        choices={[
          { label: up, sort: { by: 'field', key: name, type, descending: false } },
          { label: down, sort: { by: 'field', key: name, type, descending: true } },
          { label: t('Order of the case'), sort: CASE_ORDER },
        ]}
      />
      <Menu.Separator className="popup-line" />
      <Row
        label={t('Show only items with a value')}
        run={() => editor.setFilter(withField(filter, { key: name, op: 'filled', value: '' }))}
      />
      <Row
        label={t('Show only items without one')}
        run={() => editor.setFilter(withField(filter, { key: name, op: 'empty', value: '' }))}
      />
      <Menu.Separator className="popup-line" />
      <Menu.RadioGroup
        value={type}
        onValueChange={(value: unknown) => {
          const next = FIELD_TYPES.find((entry) => entry === value);
          if (next !== undefined) arrange(changeField(columns, name, { type: next }));
        }}
      >
        <Menu.GroupLabel className="popup-label">{t('Shown as')}</Menu.GroupLabel>
        {FIELD_TYPES.map((entry) => (
          <Menu.RadioItem key={entry} value={entry} className="popup-item popup-check" closeOnClick>
            <span className="popup-mark" aria-hidden="true">
              {entry === type ? '●' : ''}
            </span>
            {FIELD_TYPE_LABELS[entry]}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
      <Menu.Separator className="popup-line" />
      <Row
        label={field.frozen ? t('Unfreeze') : t('Freeze at the left')}
        run={() => arrange(changeField(columns, name, { frozen: !field.frozen }))}
      />
      <Row label={t('Hide')} run={() => arrange(hideField(columns, name))} />
      <Row label={t('Move left')} stays disabled={left === undefined} run={() => arrange(left)} />
      <Row
        label={t('Move right')}
        stays
        disabled={right === undefined}
        run={() => arrange(right)}
      />
      <Row label={t('Wider')} stays run={() => widenBy(editor, id, COLUMN_WIDTH.step)} />
      <Row label={t('Narrower')} stays run={() => widenBy(editor, id, -COLUMN_WIDTH.step)} />
      <Row
        label={t('Default width')}
        disabled={widthOf(columns, id) === undefined}
        run={() => arrange(widen(columns, id, null))}
      />
    </>
  );
}
