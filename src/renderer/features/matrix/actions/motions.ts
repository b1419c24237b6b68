import type { Motion } from '../model/motion.ts';

/**
 * Steps of the focus. Those that extend do it with Shift; `round`: inside a selection of several
 * cells it goes round there.
 */
export const MOTIONS: readonly {
  motion: Motion;
  label: string;
  keys: readonly string[];
  alsoExtends: boolean;
  round?: 'row' | 'column';
}[] = [
  { motion: 'up', label: 'Up', keys: ['ArrowUp'], alsoExtends: true },
  { motion: 'down', label: 'Down', keys: ['ArrowDown'], alsoExtends: true },
  { motion: 'left', label: 'Left', keys: ['ArrowLeft'], alsoExtends: true },
  { motion: 'right', label: 'Right', keys: ['ArrowRight'], alsoExtends: true },
  {
    motion: 'edgeUp',
    label: 'Up to the edge of a block',
    keys: ['Mod+ArrowUp'],
    alsoExtends: true,
  },
  {
    motion: 'edgeDown',
    label: 'Down to the edge of a block',
    keys: ['Mod+ArrowDown'],
    alsoExtends: true,
  },
  {
    motion: 'edgeLeft',
    label: 'Left to the edge of a block',
    keys: ['Mod+ArrowLeft'],
    alsoExtends: true,
  },
  {
    motion: 'edgeRight',
    label: 'Right to the edge of a block',
    keys: ['Mod+ArrowRight'],
    alsoExtends: true,
  },
  { motion: 'rowStart', label: 'First rule', keys: ['Home'], alsoExtends: true },
  { motion: 'rowEnd', label: 'Last rule', keys: ['End'], alsoExtends: true },
  { motion: 'pageUp', label: 'One page up', keys: ['PageUp'], alsoExtends: true },
  { motion: 'pageDown', label: 'One page down', keys: ['PageDown'], alsoExtends: true },
  { motion: 'first', label: 'First cell', keys: ['Mod+Home'], alsoExtends: true },
  { motion: 'last', label: 'Last cell', keys: ['Mod+End'], alsoExtends: true },
  { motion: 'down', label: 'Next item', keys: ['Enter'], alsoExtends: false, round: 'column' },
  {
    motion: 'up',
    label: 'Previous item',
    keys: ['Shift+Enter'],
    alsoExtends: false,
    round: 'column',
  },
  {
    motion: 'next',
    label: 'Next rule, then next item',
    keys: ['Tab'],
    alsoExtends: false,
    round: 'row',
  },
  {
    motion: 'previous',
    label: 'Previous rule, then previous item',
    keys: ['Shift+Tab'],
    alsoExtends: false,
    round: 'row',
  },
];
