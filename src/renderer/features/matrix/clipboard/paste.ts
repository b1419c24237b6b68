import { dayOf } from '../../../files/origin.ts';
import { keepsOrigin } from '../../../state/keep-origin.ts';
import type { Editor } from '../editor/editor.ts';
import { isRefused, onlySuggests } from '../editor/action.ts';
import { notify } from '../editor/editor-state.ts';
import { suggestEdit } from '../editor/suggesting.ts';
import { selectedCells } from '../model/selected-cells.ts';
import type { Selection } from '../model/selection.ts';
import type { View } from '../model/view.ts';
import { editOf } from './commit.ts';
import { startFieldPaste } from './fields.ts';
import {
  changedBy,
  FIRST_CHOICES,
  needsPreview,
  type PasteChoices,
  type PastePlan,
  planned,
  planPaste,
} from './plan.ts';
import { readHtml } from './read-html.ts';
import { readText } from './read-text.ts';
import type { PasteRequest } from '../editor/paste-request.ts';
import { remember } from './remembered.ts';
import { asItemRows } from './turned.ts';
import { PasteRefused, type PastedTable } from '../model/pasted-table.ts';
import { t } from '../../../text/t.ts';

/** Larger blocks are planned in slices by the preview, which they need in any case. */
const AT_ONCE = 20_000;

function refuse(editor: Editor, error: unknown): void {
  if (!(error instanceof PasteRefused)) throw error;
  notify(editor.store, error.message, 'problem');
}

/** Plain text is preferred: in pages that Excel writes, empty cells are joined. */
const read = (text: string, html: string): PastedTable | undefined =>
  text === '' ? readHtml(html) : readText(text);

/** `from`: the selection and what was shown when it was asked for; what they are now if absent. */
export function startPaste(
  editor: Editor,
  text: string,
  html: string,
  from: { selection: Selection | null; view: View } = editor.store.getState(),
): void {
  const { selection, view } = from;
  if (selection === null) return;
  try {
    const pasted = read(text, html);
    if (pasted === undefined)
      throw new PasteRefused(t('The clipboard holds no text and no table.'));
    if (view.fieldOf(selection.focus.rule) >= 0) {
      if (!isRefused(editor)) startFieldPaste(editor, { table: pasted, selection, view });
      return;
    }
    const table = asItemRows(pasted, editor.session);
    const request: PasteRequest = { table, selection, view };
    if (table.fields.length > AT_ONCE) {
      editor.store.setState({ paste: request });
      return;
    }
    const now = editor.store.getState().view;
    const place = selectedCells(request);
    const plan = planned(planPaste(table, place, editor.session, FIRST_CHOICES, now));
    if (needsPreview(plan, table)) editor.store.setState({ paste: request });
    else void commitPaste(editor, request, plan, FIRST_CHOICES, keepsOrigin());
  } catch (error) {
    refuse(editor, error);
  }
}

/** Writes a plan in one undo step; in an approved case its outcomes are suggested. */
export async function commitPaste(
  editor: Editor,
  { table }: PasteRequest,
  plan: PastePlan,
  choices: PasteChoices,
  keeps: boolean,
): Promise<void> {
  if (changedBy(plan) === 0) {
    editor.announce(
      plan.unchanged > 0 ? t('No change: the cells already say so') : t('Nothing to paste'),
    );
    return;
  }
  remember(choices.words);
  const edit = editOf(
    plan,
    table,
    editor.session,
    choices,
    keeps ? { source: 'clipboard', sheet: null, date: dayOf(editor.clock) } : undefined,
  );
  if (onlySuggests(editor.session.saveStatus)) {
    await suggestEdit(editor, edit);
    return;
  }
  const done = await editor.apply(edit);
  if (done !== undefined)
    notify(
      editor.store,
      t('{cells, plural, one {# cell} other {# cells}} pasted', { cells: done.cells }),
    );
}
