import type { EditorAction } from '../editor/action.ts';
import { ACTIONS } from './all.ts';
import type { MenuPlace } from '../editor/editor-state.ts';

/** Commands whose keys work in the whole editor, wherever no text is being typed. */
export const worksEverywhere = (action: EditorAction): boolean => action.scope === 'editor';

const actionsById = new Map(ACTIONS.map((action) => [action.id, action]));

export function actionById(id: string): EditorAction {
  const action = actionsById.get(id);
  if (action === undefined) throw new Error(`no such action: ${id}`);
  return action;
}

/** The entries of a context menu, section by section. */
export function menuActions(place: MenuPlace): EditorAction[][] {
  const sections: EditorAction[][] = [];
  for (const action of ACTIONS) {
    const section = action.menu?.[place];
    if (section !== undefined) (sections[section] ??= []).push(action);
  }
  return sections.filter((section) => section !== undefined);
}

export { ACTIONS } from './all.ts';
export { actionFor } from './keys.ts';
export { type EditorAction, isOffered, isShown, press } from '../editor/action.ts';
