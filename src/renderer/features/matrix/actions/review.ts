import { adjudicationOf } from '../conflicts/adjudication.ts';
import { reviewOf } from '../conflicts/review.ts';
import type { EditorAction } from '../editor/action.ts';
import type { Editor } from '../editor/editor.ts';
import { t } from '../../../text/t.ts';

const NUMBERS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'] as const;

const isAdjudicating = (editor: Editor): boolean => adjudicationOf(editor).store.getState().open;
/** What is on screen: the conflicts of the record, or what independent recorders differ on. */
const shown = (editor: Editor) =>
  isAdjudicating(editor) ? adjudicationOf(editor) : reviewOf(editor);

/** Those with the scope `review` work in the review alone. */
export const reviewActions: readonly EditorAction[] = [
  {
    id: 'review.next',
    label: t('Next conflict'),
    group: 'Conflicts',
    keys: ['C'],
    run: (editor) => editor.moveToContested(false),
  },
  {
    id: 'review.previous',
    label: t('Previous conflict'),
    group: 'Conflicts',
    keys: ['Shift+C'],
    run: (editor) => editor.moveToContested(true),
  },
  {
    id: 'review.open',
    label: t('Resolve conflicts…'),
    group: 'Conflicts',
    keys: ['Alt+R'],
    scope: 'editor',
    menu: { cell: 4 },
    run: (editor) => reviewOf(editor).open(),
    isEnabled: ({ session }) => session.contestCount() > 0,
  },
  {
    id: 'review.independent',
    label: t('Decide where independent recorders differ…'),
    group: 'Conflicts',
    keys: [],
    run: (editor) => void adjudicationOf(editor).open(),
    isEnabled: ({ rounds }) => rounds !== undefined,
  },
  {
    id: 'review.down',
    label: t('Next in the list'),
    group: 'Conflicts',
    keys: ['J'],
    scope: 'review',
    run: (editor) => shown(editor).step(false),
  },
  {
    id: 'review.up',
    label: t('Previous in the list'),
    group: 'Conflicts',
    keys: ['K'],
    scope: 'review',
    run: (editor) => shown(editor).step(true),
  },
  ...NUMBERS.map((key): EditorAction => ({
    id: `review.choose${key}`,
    label: t('Choose value {key}', { key }),
    group: 'Conflicts',
    writes: true,
    keys: [key],
    scope: 'review',
    run: (editor) => shown(editor).choose(Number(key)),
  })),
  {
    id: 'review.same',
    label: t('Same reason as before, where independent recorders differ'),
    group: 'Conflicts',
    writes: true,
    keys: ['S'],
    scope: 'review',
    run: (editor) => {
      const adjudication = adjudicationOf(editor);
      adjudication.setWhy(adjudication.store.getState().lastWhy);
      adjudication.dialog?.focusWhy();
    },
    isEnabled: isAdjudicating,
  },
  {
    id: 'review.edit',
    label: t('Resolve with another value'),
    group: 'Conflicts',
    writes: true,
    keys: ['E'],
    scope: 'review',
    run: (editor) => reviewOf(editor).edit(),
    isEnabled: (editor) => !isAdjudicating(editor),
  },
  {
    id: 'review.why',
    label: t('Go to the reason'),
    group: 'Conflicts',
    writes: true,
    keys: ['R'],
    scope: 'review',
    run: (editor) => shown(editor).dialog?.focusWhy(),
  },
  {
    id: 'review.bulk',
    label: t('Resolve many by a rule'),
    group: 'Conflicts',
    writes: true,
    keys: ['B'],
    scope: 'review',
    run: (editor) =>
      isAdjudicating(editor)
        ? void adjudicationOf(editor).preview(true)
        : reviewOf(editor).plan({}),
  },
  {
    id: 'review.show',
    label: t('Show the cell in the matrix'),
    group: 'Conflicts',
    keys: ['G'],
    scope: 'review',
    run: (editor) => shown(editor).showInMatrix(),
  },
  {
    id: 'review.resolve',
    label: t('Resolve'),
    group: 'Conflicts',
    writes: true,
    keys: ['Mod+Shift+S'],
    scope: 'review',
    inText: true,
    run: (editor) => {
      const review = reviewOf(editor);
      if (isAdjudicating(editor)) void adjudicationOf(editor).resolve();
      else void (review.store.getState().bulk === null ? review.resolve() : review.resolveAll());
    },
  },
];
