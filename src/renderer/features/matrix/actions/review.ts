import { reviewOf } from '../conflicts/review.ts';
import type { EditorAction } from '../editor/action.ts';
import { t } from '../../../text/t.ts';

const NUMBERS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'] as const;

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
    id: 'review.down',
    label: t('Next in the list'),
    group: 'Conflicts',
    keys: ['J'],
    scope: 'review',
    run: (editor) => reviewOf(editor).step(false),
  },
  {
    id: 'review.up',
    label: t('Previous in the list'),
    group: 'Conflicts',
    keys: ['K'],
    scope: 'review',
    run: (editor) => reviewOf(editor).step(true),
  },
  ...NUMBERS.map((key): EditorAction => ({
    id: `review.choose${key}`,
    label: t('Choose value {key}', { key }),
    group: 'Conflicts',
    writes: true,
    keys: [key],
    scope: 'review',
    run: (editor) => reviewOf(editor).choose(Number(key)),
  })),
  {
    id: 'review.edit',
    label: t('Resolve with another value'),
    group: 'Conflicts',
    writes: true,
    keys: ['E'],
    scope: 'review',
    run: (editor) => reviewOf(editor).edit(),
  },
  {
    id: 'review.why',
    label: t('Go to the reason'),
    group: 'Conflicts',
    writes: true,
    keys: ['R'],
    scope: 'review',
    run: (editor) => reviewOf(editor).dialog?.focusWhy(),
  },
  {
    id: 'review.bulk',
    label: t('Resolve many by a rule'),
    group: 'Conflicts',
    writes: true,
    keys: ['B'],
    scope: 'review',
    run: (editor) => reviewOf(editor).plan({}),
  },
  {
    id: 'review.show',
    label: t('Show the cell in the matrix'),
    group: 'Conflicts',
    keys: ['G'],
    scope: 'review',
    run: (editor) => reviewOf(editor).showInMatrix(),
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
      void (review.store.getState().bulk === null ? review.resolve() : review.resolveAll());
    },
  },
];
