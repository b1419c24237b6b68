import type { Motion } from '../model/motion.ts';
import { t } from '../../../text/t.ts';

/**
 * Steps of the focus. Those that extend do it with Shift; `round`: inside a selection of several
 * cells it goes round there.
 */
export const MOTIONS: readonly {
  motion: Motion;
  label: string;
  keys: readonly string[];
  /** The label of the step that extends; absent where Shift means something else. */
  extending?: string;
  round?: 'row' | 'column';
}[] = [
  { motion: 'up', label: t('Up'), keys: ['ArrowUp'], extending: t('Extend up') },
  { motion: 'down', label: t('Down'), keys: ['ArrowDown'], extending: t('Extend down') },
  { motion: 'left', label: t('Left'), keys: ['ArrowLeft'], extending: t('Extend left') },
  { motion: 'right', label: t('Right'), keys: ['ArrowRight'], extending: t('Extend right') },
  {
    motion: 'edgeUp',
    label: t('Up to the edge of a block'),
    keys: ['Mod+ArrowUp'],
    extending: t('Extend up to the edge of a block'),
  },
  {
    motion: 'edgeDown',
    label: t('Down to the edge of a block'),
    keys: ['Mod+ArrowDown'],
    extending: t('Extend down to the edge of a block'),
  },
  {
    motion: 'edgeLeft',
    label: t('Left to the edge of a block'),
    keys: ['Mod+ArrowLeft'],
    extending: t('Extend left to the edge of a block'),
  },
  {
    motion: 'edgeRight',
    label: t('Right to the edge of a block'),
    keys: ['Mod+ArrowRight'],
    extending: t('Extend right to the edge of a block'),
  },
  { motion: 'rowStart', label: t('First rule'), keys: ['Home'], extending: t('Extend first rule') },
  { motion: 'rowEnd', label: t('Last rule'), keys: ['End'], extending: t('Extend last rule') },
  {
    motion: 'pageUp',
    label: t('One page up'),
    keys: ['PageUp'],
    extending: t('Extend one page up'),
  },
  {
    motion: 'pageDown',
    label: t('One page down'),
    keys: ['PageDown'],
    extending: t('Extend one page down'),
  },
  {
    motion: 'first',
    label: t('First cell'),
    keys: ['Mod+Home'],
    extending: t('Extend first cell'),
  },
  { motion: 'last', label: t('Last cell'), keys: ['Mod+End'], extending: t('Extend last cell') },
  { motion: 'down', label: t('Next item'), keys: ['Enter'], round: 'column' },
  {
    motion: 'up',
    label: t('Previous item'),
    keys: ['Shift+Enter'],
    round: 'column',
  },
  {
    motion: 'next',
    label: t('Next rule, then next item'),
    keys: ['Tab'],
    round: 'row',
  },
  {
    motion: 'previous',
    label: t('Previous rule, then previous item'),
    keys: ['Shift+Tab'],
    round: 'row',
  },
];
