import { isDialogOpen } from '../../../ui/is-dialog-open.ts';

/**
 * While a dialog is open, keys are meant for it. The grid may draw moved rows a moment later and
 * take the focus then, which would put what is typed into cells: it goes back to where it was.
 * Returns how to stop.
 */
export function leaveFocusToDialogs(host: HTMLElement): () => void {
  const giveBack = ({ relatedTarget }: FocusEvent): void => {
    if (!isDialogOpen() || (relatedTarget instanceof Node && host.contains(relatedTarget))) return;
    if (relatedTarget instanceof HTMLElement) relatedTarget.focus();
    else document.querySelector<HTMLElement>('.dialog')?.focus();
  };
  host.addEventListener('focusin', giveBack);
  return () => host.removeEventListener('focusin', giveBack);
}
