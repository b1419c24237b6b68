import { itemName } from '../model/names.ts';
import type { Command, CommandSource, CommandFinder } from '../../../state/commands.ts';
import { type EditorAction, ACTIONS, isOffered, isShown } from './actions.ts';
import type { Editor } from '../editor/editor.ts';
import { createItemSearch } from '../model/item-search.ts';
import { single } from '../model/selection.ts';
import { keyHint } from './key-hint.ts';
import { NO_FILTER } from '../model/filter.ts';
import { t } from '../../../text/t.ts';
import { GROUP_WORDS } from '../editor/action.ts';

/** Leads to a cell; what hides its item is taken away, and said. */
function goTo(editor: Editor, item: string, rule: string): void {
  if (editor.store.getState().view.rowOf(item) < 0) {
    editor.setFilter(NO_FILTER);
    editor.announce(t('Filter cleared to show {item}', { item: itemName(editor.session, item) }));
  }
  editor.select(single({ item, rule }));
}

function items(editor: Editor): CommandFinder {
  const search = createItemSearch();
  return {
    name: GROUP_WORDS.Items,
    find: (text, most) =>
      search(editor.session.items, text, most).map(({ item_uid, label }): Command => ({
        id: `item.${item_uid}`,
        label: item_uid,
        group: GROUP_WORDS.Items,
        keys: '',
        enabled: true,
        ...(label === '' ? {} : { detail: label }),
        run: () =>
          goTo(
            editor,
            item_uid,
            editor.store.getState().selection?.focus.rule ?? editor.store.getState().view.ruleAt(0),
          ),
      })),
  };
}

function rules(editor: Editor): CommandFinder {
  const { profile } = editor.session;
  return {
    name: GROUP_WORDS.Rules,
    find: (text, most) => {
      const typed = text.trim().toLowerCase();
      return profile.rules
        .filter(
          ({ ruleUid, name }) =>
            ruleUid.toLowerCase().includes(typed) || name.toLowerCase().includes(typed),
        )
        .slice(0, most)
        .map(({ ruleUid, name }): Command => ({
          id: `rule.${ruleUid}`,
          label: name,
          detail: ruleUid,
          group: GROUP_WORDS.Rules,
          keys: '',
          enabled:
            editor.store.getState().view.columnOf(ruleUid) >= 0 && editor.session.items.length > 0,
          reason: editor.session.items.length === 0 ? t('no items yet') : t('column hidden'),
          run: () => {
            const { selection, view } = editor.store.getState();
            goTo(editor, selection?.focus.item ?? view.itemAt(0), ruleUid);
          },
        }));
    },
  };
}

function reasonAgainst(action: EditorAction, { session, store }: Editor): string {
  if (action.writes === true && session.saveStatus.access.may === 'read') return t('read only');
  if (session.items.length === 0) return t('no items yet');
  return store.getState().selection === null ? t('no cell selected') : t('nothing to do here');
}

/** The editor's actions, items and rules for the palette and the desktop's menu. */
export function createCommandSource(editor: Editor): CommandSource {
  return {
    commands: () =>
      ACTIONS.filter((action) => action.id !== 'palette' && isShown(action, editor)).map(
        (action): Command => ({
          id: action.id,
          label: action.label,
          group: GROUP_WORDS[action.group],
          keys: keyHint(action),
          enabled: isOffered(action, editor),
          ...(!isOffered(action, editor) && { reason: reasonAgainst(action, editor) }),
          run: () => void action.run(editor),
        }),
      ),
    places: [items(editor), rules(editor)],
  };
}
