import type { SaveStatus } from '../../../data/store/port.ts';
import type { Editor } from './editor.ts';
import { type MenuPlace, notify } from './editor-state.ts';
import { t, tAs } from '../../../text/t.ts';

/** In the order of the help sheet. */
export const ACTION_GROUPS = [
  'Record',
  'Fill',
  'Clipboard',
  'History',
  'Move',
  'Select',
  'Find',
  'Conflicts',
  'Items',
  'Rules',
  'View',
  'Files and runs',
  'Help',
] as const;
export type ActionGroup = (typeof ACTION_GROUPS)[number];

export const GROUP_WORDS: Record<ActionGroup, string> = {
  Record: tAs('verb', 'Record'),
  Fill: tAs('verb', 'Fill'),
  Clipboard: t('Clipboard'),
  History: t('History'),
  Move: tAs('the focus', 'Move'),
  Select: tAs('verb', 'Select'),
  Find: t('Find'),
  Conflicts: t('Conflicts'),
  Items: t('Items'),
  Rules: t('Rules'),
  View: tAs('noun', 'View'),
  'Files and runs': t('Files and runs'),
  Help: t('Help'),
};

export interface EditorAction {
  id: string;
  label: string;
  group: ActionGroup;
  /** Chords as in `keymap.ts`; the first is the one menus show. Empty: no key. */
  keys: readonly string[];
  /**
   * Where its keys work: on a cell (absent: there), in the whole editor wherever no text is being
   * typed, or in the dialog of the conflicts.
   */
  scope?: 'grid' | 'editor' | 'review';
  /** The keys mean nothing to a text field, so they work there too. */
  inText?: true;
  /**
   * The browser has events of its own for these keys: they are shown in menus, but never
   * intercepted.
   */
  native?: true;
  /**
   * The context menus that offer it, each with its section: 1 record, 2 clipboard, 3 fill, 4 panel
   * and card, 5 filter and sort, 6 select and lay out, 7 to 9 items.
   */
  menu?: Partial<Record<MenuPlace, number>>;
  /** Changes evidence. Where that is not possible, menus do not offer it and its keys say why. */
  writes?: true;
  /** In an approved case it suggests. */
  suggests?: true;
  /** Runs the command. Returning false leaves the key to the grid. */
  run(editor: Editor): boolean | void;
  /** Absent: always. */
  isEnabled?(editor: Editor): boolean;
}

/**
 * Whether menus show an action. A viewer is not shown anything that writes; to others, what is
 * impossible only at the moment is shown disabled.
 */
export const offersWriting = ({ access }: SaveStatus): boolean =>
  access.may === 'write' || access.because !== 'viewer';
export const isShown = (action: EditorAction, { session }: Editor): boolean =>
  action.writes !== true || offersWriting(session.saveStatus);
/** Whether outcomes are suggested and not recorded, since the case is approved. */
export const onlySuggests = ({ access }: SaveStatus): boolean =>
  access.may === 'read' && access.because === 'approved';
const mayRun = ({ writes, suggests }: EditorAction, { session }: Editor): boolean =>
  writes !== true ||
  session.saveStatus.access.may === 'write' ||
  (suggests === true && onlySuggests(session.saveStatus));
export const isOffered = (action: EditorAction, editor: Editor): boolean =>
  mayRun(action, editor) && action.isEnabled?.(editor) !== false;

/**
 * Says why, where nothing may be changed. What suggests is not refused where the case is approved.
 */
export function isRefused({ session, store }: Editor, suggests = false): boolean {
  const { access } = session.saveStatus;
  if (suggests && onlySuggests(session.saveStatus)) return false;
  if (access.may === 'read') notify(store, t('Read only. {words}', { words: access.words }));
  return access.may === 'read';
}

/** By its key. False leaves the key to the grid. */
export function press(action: EditorAction, editor: Editor): boolean {
  if (!mayRun(action, editor) && isRefused(editor)) return true;
  return action.isEnabled?.(editor) === false || action.run(editor) !== false;
}

export const hasSelection = (editor: Editor): boolean => editor.store.getState().selection !== null;
/** The focus is on an outcome, and not on a field of an item. */
export const hasCell = ({ session, store }: Editor): boolean => {
  const { selection } = store.getState();
  return selection !== null && session.columnOf(selection.focus.rule) >= 0;
};
export const hasItems = ({ session }: Editor): boolean => session.items.length > 0;
