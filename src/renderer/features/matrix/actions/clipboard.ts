import { runCopy, runPaste } from '../clipboard/commands.ts';
import { type EditorAction, hasSelection } from '../editor/action.ts';
import { t } from '../../../text/t.ts';

export const clipboardActions: readonly EditorAction[] = [
  {
    id: 'clipboard.cut',
    label: t('Cut'),
    group: 'Clipboard',
    writes: true,
    keys: ['Mod+X'],
    native: true,
    menu: { cell: 2, item: 2, rule: 2, field: 2 },
    run: (editor) => void runCopy(editor, { cut: true }),
    isEnabled: hasSelection,
  },
  {
    id: 'clipboard.copy',
    label: t('Copy'),
    group: 'Clipboard',
    keys: ['Mod+C'],
    native: true,
    menu: { cell: 2, item: 2, rule: 2, field: 2 },
    run: (editor) => void runCopy(editor),
    isEnabled: hasSelection,
  },
  {
    id: 'clipboard.copyNames',
    label: t('Copy with headers'),
    group: 'Clipboard',
    keys: ['Mod+Shift+C'],
    menu: { cell: 2, item: 2, rule: 2, field: 2 },
    run: (editor) => void runCopy(editor, { names: true }),
    isEnabled: hasSelection,
  },
  {
    id: 'clipboard.paste',
    label: t('Paste…'),
    group: 'Clipboard',
    writes: true,
    suggests: true,
    keys: ['Mod+V'],
    native: true,
    menu: { cell: 2, item: 2, rule: 2, field: 2 },
    run: (editor) => void runPaste(editor),
    isEnabled: hasSelection,
  },
];
