import { runCopy, runPaste } from '../clipboard/commands.ts';
import { type EditorAction, hasSelection } from '../editor/action.ts';

export const clipboardActions: readonly EditorAction[] = [
  {
    id: 'clipboard.cut',
    label: 'Cut',
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
    label: 'Copy',
    group: 'Clipboard',
    keys: ['Mod+C'],
    native: true,
    menu: { cell: 2, item: 2, rule: 2, field: 2 },
    run: (editor) => void runCopy(editor),
    isEnabled: hasSelection,
  },
  {
    id: 'clipboard.copyNames',
    label: 'Copy with headers',
    group: 'Clipboard',
    keys: ['Mod+Shift+C'],
    menu: { cell: 2, item: 2, rule: 2, field: 2 },
    run: (editor) => void runCopy(editor, { names: true }),
    isEnabled: hasSelection,
  },
  {
    id: 'clipboard.paste',
    label: 'Paste…',
    group: 'Clipboard',
    writes: true,
    keys: ['Mod+V'],
    native: true,
    menu: { cell: 2, item: 2, rule: 2, field: 2 },
    run: (editor) => void runPaste(editor),
    isEnabled: hasSelection,
  },
];
