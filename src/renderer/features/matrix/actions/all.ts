import type { EditorAction } from '../editor/action.ts';
import { clipboardActions } from './clipboard.ts';
import { columnsActions } from './columns.ts';
import { filesActions } from './files.ts';
import { fieldsActions } from './fields.ts';
import { fillActions } from './fill.ts';
import { findActions } from './find.ts';
import { helpActions } from './help.ts';
import { historyActions } from './history.ts';
import { moveActions } from './move.ts';
import { recordActions } from './record.ts';
import { reviewActions } from './review.ts';
import { rowsActions } from './rows.ts';
import { selectActions } from './select.ts';
import { viewActions } from './view.ts';

/** Every command of the editor: keys, menus, the palette and the help sheet read this one table. */
export const ACTIONS: readonly EditorAction[] = [
  ...findActions,
  ...recordActions,
  ...fillActions,
  ...clipboardActions,
  ...historyActions,
  ...reviewActions,
  ...rowsActions,
  ...fieldsActions,
  ...columnsActions,
  ...viewActions,
  ...filesActions,
  ...helpActions,
  ...moveActions,
  ...selectActions,
];
