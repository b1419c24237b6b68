import type { Editor } from '../editor/editor.ts';
import type { Painted } from './painting.ts';
import { t } from '../../../text/t.ts';

/** Opens the heading's menu; reached by the pointer, and by Alt+ArrowDown on the heading itself. */
export function headingMenuButton(
  { store }: Editor,
  column: string,
  name: string,
): HTMLButtonElement {
  const button = Object.assign(document.createElement('button'), {
    type: 'button',
    className: 'mx-head-menu',
    tabIndex: -1,
    title: t('Menu (Alt+↓)'),
  });
  button.setAttribute('aria-label', t('Menu of {name}', { name }));
  button.setAttribute('aria-haspopup', 'menu');
  let wasOpen = false;
  button.addEventListener('pointerdown', () => {
    wasOpen = store.getState().menuOf === column;
  });
  button.addEventListener('click', (event) => {
    event.stopPropagation();
    store.setState({ menuOf: wasOpen ? null : column });
  });
  return button;
}

export function markSorted(
  header: HTMLElement,
  way: 'ascending' | 'descending' | 'other' | undefined,
): void {
  if (header.getAttribute('aria-sort') === (way ?? null)) return;
  if (way === undefined) header.removeAttribute('aria-sort');
  else header.setAttribute('aria-sort', way);
}

/**
 * The grid takes `aria-sort` away from each heading that it has just drawn, since it sorts nothing
 * itself.
 */
export const sortedLater = (heading: Painted): void => void setTimeout(() => heading.paint());
