import { isPlainArrangement, PLAIN } from '../model/arrangement.ts';
import {
  COLUMN_WIDTH,
  type ColumnPlan,
  freeze,
  hide,
  show,
  step,
  widen,
} from '../model/column-plan.ts';
import type { Editor } from '../editor/editor.ts';
import { isActive, NO_FILTER, withStates } from '../model/filter.ts';
import {
  clampHead,
  DENSITIES,
  type Density,
  HEAD_HEIGHT,
  PAGE_ROWS,
} from '../model/preferences.ts';
import { rectsOf, rulesIn } from '../model/selection.ts';
import { CASE_ORDER } from '../model/sort.ts';
import { stateKey } from '../model/states.ts';
import { type EditorAction, hasItems, hasCell } from '../editor/action.ts';
import { t } from '../../../text/t.ts';

/** The rule of the focused cell. */
const ruleOf = ({ session, store }: Editor): string | undefined => {
  const rule = store.getState().selection?.focus.rule;
  return rule !== undefined && session.columnOf(rule) >= 0 ? rule : undefined;
};
const planOf = ({ store }: Editor): ColumnPlan => store.getState().columns;

function selectedRules({ store }: Editor): string[] {
  const { selection, view } = store.getState();
  return [...new Set(rectsOf(selection, view).flatMap((rect) => rulesIn(rect, view)))];
}

/** An action on the rule of the focused cell. */
const onRule = (
  run: (editor: Editor, rule: string) => void,
): Pick<EditorAction, 'run' | 'isEnabled'> => ({
  run: (editor) => {
    const rule = ruleOf(editor);
    if (rule !== undefined) run(editor, rule);
  },
  isEnabled: hasCell,
});
const onPlan = (
  change: (plan: ColumnPlan, rule: string, editor: Editor) => ColumnPlan | undefined,
): Pick<EditorAction, 'run' | 'isEnabled'> =>
  onRule((editor, rule) => {
    const columns = change(planOf(editor), rule, editor);
    if (columns !== undefined) editor.arrange({ columns });
  });

const widenBy = (by: number): Pick<EditorAction, 'run' | 'isEnabled'> =>
  onRule((editor, rule) => {
    const width = editor.columnWidth(rule);
    if (width !== undefined) editor.arrange({ columns: widen(planOf(editor), rule, width + by) });
  });

function changeHead({ store, prefer }: Editor, by: number): void {
  const { headHeight = HEAD_HEIGHT.usual } = store.getState().preferences;
  prefer({ headHeight: clampHead(headHeight + by) });
}

function togglePaged({ store, prefer, announce }: Editor): void {
  const paged = !store.getState().preferences.paged;
  prefer({ paged });
  announce(
    paged
      ? t('Screen-reader view on: pages of {count, number} items', { count: PAGE_ROWS })
      : t('Screen-reader view off'),
  );
}

const DENSITY_LABELS: Record<Density, string> = {
  dense: t('Compact rows'),
  usual: t('Default rows'),
  roomy: t('Tall rows'),
};

export const columnsActions: readonly EditorAction[] = [
  {
    id: 'rule.menu',
    label: t('Menu of the rule'),
    group: 'Rules',
    keys: [],
    ...onRule((editor, rule) => editor.store.setState({ menuOf: rule })),
  },
  {
    id: 'sort.true',
    label: t('Sort by this rule, TRUE (problem found) first'),
    group: 'Rules',
    keys: [],
    menu: { rule: 5 },
    ...onRule((editor, rule) => editor.setSort({ by: 'rule', rule, first: 'TRUE' })),
  },
  {
    id: 'sort.false',
    label: t('Sort by this rule, FALSE (evidence present) first'),
    group: 'Rules',
    keys: [],
    menu: { rule: 5 },
    ...onRule((editor, rule) => editor.setSort({ by: 'rule', rule, first: 'FALSE' })),
  },
  {
    id: 'sort.unrecorded',
    label: t('Sort by this rule, unrecorded first'),
    group: 'Rules',
    keys: [],
    menu: { rule: 5 },
    ...onRule((editor, rule) => editor.setSort({ by: 'rule', rule, first: 'unrecorded' })),
  },
  {
    id: 'sort.label',
    label: t('Sort by label'),
    group: 'Rules',
    keys: [],
    run: (editor) => editor.setSort({ by: 'label', descending: false }),
    isEnabled: hasItems,
  },
  {
    id: 'sort.progress',
    label: t('Sort: least recorded first'),
    group: 'Rules',
    keys: [],
    run: (editor) => editor.setSort({ by: 'progress', descending: false }),
    isEnabled: hasItems,
  },
  {
    id: 'sort.case',
    label: t('Back to the order of the case'),
    group: 'Rules',
    keys: [],
    menu: { rule: 5 },
    run: (editor) => editor.setSort(CASE_ORDER),
    isEnabled: ({ store }) => store.getState().sort.by !== 'case',
  },
  {
    id: 'rule.card',
    label: t("Show the rule's card"),
    group: 'Rules',
    keys: [],
    menu: { cell: 4, rule: 4 },
    ...onRule((editor, rule) => editor.store.setState({ cardOf: rule })),
  },
  {
    id: 'rule.freeze',
    label: t('Freeze or unfreeze the rule'),
    group: 'Rules',
    keys: [],
    menu: { rule: 6 },
    ...onPlan((plan, rule) => freeze(plan, rule, !plan.frozen.includes(rule))),
  },
  {
    id: 'rule.hide',
    label: t('Hide the selected rules'),
    group: 'Rules',
    keys: [],
    menu: { rule: 6 },
    run: (editor) =>
      editor.arrange({
        columns: hide(planOf(editor), editor.session.rules, selectedRules(editor)),
      }),
    isEnabled: (editor) => hasCell(editor) && editor.store.getState().view.columnCount > 1,
  },
  {
    id: 'rule.showAll',
    label: t('Show all rules'),
    group: 'Rules',
    keys: [],
    menu: { rule: 6 },
    run: (editor) => editor.arrange({ columns: show(planOf(editor), planOf(editor).hidden) }),
    isEnabled: (editor) => planOf(editor).hidden.length > 0,
  },
  {
    id: 'rule.left',
    label: t('Move the rule left'),
    group: 'Rules',
    keys: [],
    ...onPlan((plan, rule, { session }) => step(plan, session.rules, rule, -1)),
  },
  {
    id: 'rule.right',
    label: t('Move the rule right'),
    group: 'Rules',
    keys: [],
    ...onPlan((plan, rule, { session }) => step(plan, session.rules, rule, 1)),
  },
  {
    id: 'rule.wider',
    label: t('Wider column'),
    group: 'Rules',
    keys: [],
    ...widenBy(COLUMN_WIDTH.step),
  },
  {
    id: 'rule.narrower',
    label: t('Narrower column'),
    group: 'Rules',
    keys: [],
    ...widenBy(-COLUMN_WIDTH.step),
  },
  {
    id: 'rule.width',
    label: t('Default width of the column'),
    group: 'Rules',
    keys: [],
    ...onPlan((plan, rule) => widen(plan, rule, null)),
  },
  {
    id: 'filter.value',
    label: t('Show only items with this value'),
    group: 'Find',
    keys: [],
    menu: { cell: 5 },
    ...onRule((editor, rule) => {
      const { session, store } = editor;
      const row = session.rowOf(store.getState().selection?.focus.item ?? '');
      if (row >= 0)
        editor.setFilter(
          withStates(store.getState().filter, rule, [
            stateKey(session.state(row, session.columnOf(rule))),
          ]),
        );
    }),
  },
  {
    id: 'filter.clear',
    label: t('Clear filters'),
    group: 'Find',
    keys: [],
    run: (editor) => editor.setFilter(NO_FILTER),
    isEnabled: ({ store }) => isActive(store.getState().filter),
  },
  {
    id: 'filter.again',
    label: t('Apply filter and sort again'),
    group: 'Find',
    keys: [],
    run: (editor) => editor.applyAgain(),
    isEnabled: ({ store }) => store.getState().stale,
  },
  {
    id: 'look.plain',
    label: t('Show all items and rules'),
    group: 'View',
    keys: [],
    run: (editor) => editor.arrange(PLAIN),
    isEnabled: ({ store }) => !isPlainArrangement(store.getState()),
  },
  ...DENSITIES.map((density): EditorAction => ({
    id: `look.${density}`,
    label: DENSITY_LABELS[density],
    group: 'View',
    keys: [],
    run: (editor) => editor.prefer({ density }),
  })),
  {
    id: 'look.headTaller',
    label: t('Taller headings'),
    group: 'View',
    keys: [],
    run: (editor) => changeHead(editor, HEAD_HEIGHT.step),
  },
  {
    id: 'look.headLower',
    label: t('Lower headings'),
    group: 'View',
    keys: [],
    run: (editor) => changeHead(editor, -HEAD_HEIGHT.step),
  },
  {
    id: 'look.headUsual',
    label: t('Default height of the headings'),
    group: 'View',
    keys: [],
    run: (editor) => editor.prefer({ headHeight: undefined }),
    isEnabled: ({ store }) => store.getState().preferences.headHeight !== undefined,
  },
  {
    id: 'look.narrow',
    label: t('Narrow or wide columns'),
    group: 'View',
    keys: [],
    run: (editor) => editor.setCompact(!editor.store.getState().compact, true),
  },
  {
    id: 'look.paged',
    label: t('Screen-reader view on or off'),
    group: 'View',
    keys: [],
    run: togglePaged,
  },
];
