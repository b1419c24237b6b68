import { type EditorAction, hasCell } from '../editor/action.ts';
import { t } from '../../../text/t.ts';

export const recordActions: readonly EditorAction[] = [
  {
    id: 'record.false',
    label: t('FALSE: evidence present'),
    group: 'Record',
    writes: true,
    keys: ['F', 'Shift+F'],
    menu: { cell: 1, item: 1, rule: 1 },
    run: (editor) => void editor.record('FALSE'),
    isEnabled: hasCell,
  },
  {
    id: 'record.true',
    label: t('TRUE: problem found'),
    group: 'Record',
    writes: true,
    keys: ['T', 'Shift+T'],
    menu: { cell: 1, item: 1, rule: 1 },
    run: (editor) => void editor.record('TRUE'),
    isEnabled: hasCell,
  },
  {
    id: 'record.na',
    label: t('NA: not available'),
    group: 'Record',
    writes: true,
    keys: ['N', 'Shift+N'],
    menu: { cell: 1, item: 1, rule: 1 },
    run: (editor) => void editor.record('NA'),
    isEnabled: hasCell,
  },
  {
    id: 'record.clear',
    label: t('Clear to unrecorded'),
    group: 'Record',
    writes: true,
    keys: ['Delete', 'Backspace'],
    menu: { cell: 1, item: 1, rule: 1 },
    run: (editor) => void editor.clear(false),
    isEnabled: hasCell,
  },
  {
    id: 'record.clearAll',
    label: t('Clear with its details'),
    group: 'Record',
    writes: true,
    keys: ['Shift+Delete'],
    run: (editor) => void editor.clear(true),
    isEnabled: hasCell,
  },
];
