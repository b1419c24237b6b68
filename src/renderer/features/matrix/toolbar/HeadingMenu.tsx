import { Menu } from '@base-ui/react/menu';
import { useEffect } from 'react';
import { MenuPopup } from '../../../ui/MenuPopup.tsx';
import { COLUMN_WIDTH, freeze, hide, step, widen, widthOf } from '../model/column-plan.ts';
import { fieldKeyOf } from '../model/fields.ts';
import { statesOf, withState } from '../model/filter.ts';
import { headingIn } from '../grid/rule-heading.ts';
import { Mark } from '../../../ui/OutcomeMark.tsx';
import { selectRule } from '../editor/selecting.ts';
import { CASE_ORDER, type Sort, firstWords } from '../model/sort.ts';
import { STATE_KEYS, STATE_WORDS } from '../model/states.ts';
import { useEditor, useEditorState } from '../editor/use-editor.ts';
import { FieldRows } from './FieldRows.tsx';
import { Row, SortRows, widenBy } from './menu-rows.tsx';
import { t } from '../../../text/t.ts';

/** The menu of the heading whose button was pressed, or that has the focus. */
export function HeadingMenu({ host }: { host: HTMLElement }) {
  const { store } = useEditor();
  const column = useEditorState((state) => state.menuOf);
  useEffect(() => () => store.setState({ menuOf: null }), [store]);
  if (column === null) return null;
  return (
    <Menu.Root
      key={column}
      open
      onOpenChange={() => store.setState({ menuOf: null })}
      modal={false}
    >
      <Menu.Portal>
        <Menu.Positioner
          className="popup-positioner"
          anchor={() => headingIn(host, column)?.querySelector('.mx-head-menu') ?? null}
          sideOffset={4}
          align="start"
        >
          <MenuPopup
            className="popup mx-menu"
            aria-label={t('Column')}
            finalFocus={() =>
              store.getState().cardOf === column ? false : (headingIn(host, column) ?? true)
            }
          >
            <Rows column={column} />
          </MenuPopup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

export const ITEM_SORTS: readonly { label: string; sort: Sort }[] = [
  { label: t('Order of the case'), sort: CASE_ORDER },
  { label: t('Label, A to Z'), sort: { by: 'label', descending: false } },
  { label: t('Label, Z to A'), sort: { by: 'label', descending: true } },
  { label: t('ID, A to Z'), sort: { by: 'uid', descending: false } },
  { label: t('ID, Z to A'), sort: { by: 'uid', descending: true } },
  { label: t('Type, A to Z'), sort: { by: 'type', descending: false } },
];
export const PROGRESS_SORTS: readonly { label: string; sort: Sort }[] = [
  { label: t('Least recorded first'), sort: { by: 'progress', descending: false } },
  { label: t('Most recorded first'), sort: { by: 'progress', descending: true } },
];

function Rows({ column }: { column: string }) {
  const key = fieldKeyOf(column);
  if (key !== undefined) return <FieldRows name={key} />;
  return column.startsWith('#') ? <FixedRows column={column} /> : <RuleRows rule={column} />;
}

function FixedRows({ column }: { column: string }) {
  return (
    <SortRows
      choices={column === '#progress' ? [...ITEM_SORTS.slice(0, 1), ...PROGRESS_SORTS] : ITEM_SORTS}
    />
  );
}

function RuleRows({ rule }: { rule: string }) {
  const editor = useEditor();
  const { session } = editor;
  const columns = useEditorState((state) => state.columns);
  const filter = useEditorState((state) => state.filter);
  const shown = useEditorState((state) => state.view.columnCount);
  const states = statesOf(filter, rule);
  const frozen = columns.frozen.includes(rule);
  const move = (way: -1 | 1): (() => void) | undefined => {
    const next = step(columns, session.rules, rule, way);
    return next === undefined ? undefined : () => editor.arrange({ columns: next });
  };
  const [left, right] = [move(-1), move(1)];
  return (
    <>
      <SortRows
        choices={[
          ...(['TRUE', 'FALSE', 'unrecorded'] as const).map((first) => ({
            label: firstWords(first),
            sort: { by: 'rule' as const, rule, first },
          })),
          { label: t('Order of the case'), sort: CASE_ORDER },
        ]}
      />
      <Menu.Separator className="popup-line" />
      <Menu.Group>
        <Menu.GroupLabel className="popup-label">{t('Show only items that are')}</Menu.GroupLabel>
        {STATE_KEYS.map((state) => (
          <Menu.CheckboxItem
            key={state}
            className="popup-item popup-check"
            checked={states.includes(state)}
            onCheckedChange={() => editor.setFilter(withState(filter, rule, state))}
          >
            <span className="popup-mark" aria-hidden="true">
              {states.includes(state) ? '●' : ''}
            </span>
            <Mark state={state} />
            {STATE_WORDS[state].full}
          </Menu.CheckboxItem>
        ))}
      </Menu.Group>
      <Menu.Separator className="popup-line" />
      <Row label={t('Select the rule')} run={() => selectRule(editor, rule, 'only')} />
      <Row label={t("Show the rule's card")} run={() => editor.store.setState({ cardOf: rule })} />
      <Menu.Separator className="popup-line" />
      <Row
        label={frozen ? t('Unfreeze') : t('Freeze at the left')}
        run={() => editor.arrange({ columns: freeze(columns, rule, !frozen) })}
      />
      <Row
        label={t('Hide')}
        disabled={shown < 2}
        run={() => editor.arrange({ columns: hide(columns, session.rules, [rule]) })}
      />
      <Row label={t('Move left')} stays disabled={left === undefined} run={() => left?.()} />
      <Row label={t('Move right')} stays disabled={right === undefined} run={() => right?.()} />
      <Row label={t('Wider')} stays run={() => widenBy(editor, rule, COLUMN_WIDTH.step)} />
      <Row label={t('Narrower')} stays run={() => widenBy(editor, rule, -COLUMN_WIDTH.step)} />
      <Row
        label={t('Default width')}
        disabled={widthOf(columns, rule) === undefined}
        run={() => editor.arrange({ columns: widen(columns, rule, null) })}
      />
    </>
  );
}
