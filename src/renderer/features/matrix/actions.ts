import type { Action, MenuPlace } from './actions/action.ts';
import { clipboardActions } from './actions/clipboard.ts';
import { columnsActions } from './actions/columns.ts';
import { filesActions } from './actions/files.ts';
import { fillActions } from './actions/fill.ts';
import { findActions } from './actions/find.ts';
import { helpActions } from './actions/help.ts';
import { historyActions } from './actions/history.ts';
import { moveActions } from './actions/move.ts';
import { recordActions } from './actions/record.ts';
import { rowsActions } from './actions/rows.ts';
import { selectActions } from './actions/select.ts';
import { viewActions } from './actions/view.ts';

/** Every command of the editor: keys, menus, the palette and the help sheet read this one table. */
export const ACTIONS: readonly Action[] = [
  ...recordActions, ...fillActions, ...clipboardActions, ...historyActions, ...moveActions, ...selectActions, ...findActions,
  ...rowsActions, ...columnsActions, ...viewActions, ...filesActions, ...helpActions,
];

/** Commands whose keys work in the whole editor, wherever no text is being typed. */
export const worksEverywhere = (action: Action): boolean => action.scope === 'editor';

const actionsByChord = new Map(ACTIONS.flatMap((action) => (action.native === true ? [] : action.keys.map((chord) => [chord, action] as const))));
const actionsById = new Map(ACTIONS.map((action) => [action.id, action]));

export const actionFor = (chord: string): Action | undefined => actionsByChord.get(chord);

export function actionById(id: string): Action {
  const action = actionsById.get(id);
  if (action === undefined) throw new Error(`no such action: ${id}`);
  return action;
}

/** The entries of a context menu, section by section. */
export function menuActions(place: MenuPlace): Action[][] {
  const sections: Action[][] = [];
  for (const action of ACTIONS) {
    const section = action.menu?.[place];
    if (section !== undefined) (sections[section] ??= []).push(action);
  }
  return sections.filter((section) => section !== undefined);
}

export type { Action, MenuPlace } from './actions/action.ts';
