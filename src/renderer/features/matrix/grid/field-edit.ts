import type { Editor } from '../editor/editor.ts';
import { setField } from '../editor/fields.ts';
import { isRefused } from '../editor/action.ts';
import { fieldKeyOf, fieldText, memberOf } from '../model/fields.ts';
import { fieldCellOf } from './field-cell.ts';
import { t } from '../../../text/t.ts';

/** Where a field is being typed, keys are the field's alone. */
export const isFieldInput = (target: EventTarget | null): boolean =>
  target instanceof Element && target.classList.contains('mx-fieldinput');

const HINTS = { text: '', number: '0.5', date: t('YYYY-MM-DD'), link: 'https://…' } as const;

/**
 * Types in the cell itself: Enter and Tab save and go on, Escape leaves the field as it was. What
 * cannot be kept stays to be mended.
 */
export function startFieldEdit(editor: Editor, target: Element, first?: string): boolean {
  const cell = target.closest<HTMLElement>('.mx-fieldcell');
  const place = fieldCellOf(cell);
  const key = place === undefined ? undefined : fieldKeyOf(place.rule);
  if (cell === null || place === undefined || key === undefined) return false;
  if (isRefused(editor) || cell.querySelector('.mx-fieldinput') !== null) return true;
  const { session, store } = editor;
  const { view } = store.getState();
  const type = view.fields[view.fieldOf(place.rule)]?.type ?? 'text';
  const before = fieldText(memberOf(session.items[session.rowOf(place.item)]?.metadata, key));
  const input = Object.assign(document.createElement('input'), {
    className: 'mx-fieldinput',
    type: 'text',
    value: first ?? before,
    placeholder: HINTS[type],
    spellcheck: false,
  });
  input.setAttribute('aria-label', t('{key} of {item}', { key, item: place.item }));
  let isDone = false;
  const close = (backToCell: boolean): void => {
    isDone = true;
    input.remove();
    if (backToCell) editor.focusGrid();
  };
  /** False where the text cannot be kept. */
  const save = (): boolean => {
    const problem =
      input.value === before
        ? undefined
        : setField(editor, { item: place.item, key, type, text: input.value });
    input.toggleAttribute('aria-invalid', problem !== undefined);
    if (problem !== undefined) input.setAttribute('aria-invalid', 'true');
    return problem === undefined;
  };
  input.addEventListener('keydown', (event) => {
    event.stopPropagation();
    if (event.isComposing) return;
    const goesOn = event.key === 'Enter' || event.key === 'Tab';
    if (!goesOn && event.key !== 'Escape') return;
    event.preventDefault();
    if (event.key === 'Escape') close(true);
    else if (save()) {
      close(true);
      const motions =
        event.key === 'Enter' ? (['down', 'up'] as const) : (['next', 'previous'] as const);
      editor.move(motions[event.shiftKey ? 1 : 0], false);
    }
  });
  input.addEventListener('blur', () => {
    if (isDone) return;
    save();
    close(false);
  });
  cell.append(input);
  input.focus();
  if (first === undefined) input.select();
  return true;
}
