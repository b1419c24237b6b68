import { useEffect } from 'react';
import { isDialogOpen } from '../ui/is-dialog-open.ts';

/**
 * The parts of a page that F6 goes through, from top to bottom. Of parts within each other the
 * innermost count.
 */
const REGIONS =
  '.bar, .page-head, .toolbar, .table-frame, .section, .mx-toolbar, .mx-field, .mx-panel, .toast';
const FOCUSABLE =
  'a[href], button:not(:disabled), input:not(:disabled), textarea:not(:disabled), select, ' +
  'summary, [tabindex="0"]';

const isShown = (element: Element): boolean => element.getClientRects().length > 0;

/** In a matrix: the cell that had the focus last, or the first; the outcome that is recorded. */
const FIRST = [
  '.mx-field .ag-cell-focus',
  '.mx-field .ag-cell',
  '.mx-panel [role=radio][aria-checked=true]',
];

/**
 * Where the focus goes in a region: to the region itself if it takes it, else to its first part.
 */
function entryOf(region: Element): HTMLElement | undefined {
  for (const first of FIRST) {
    const found = document.querySelector<HTMLElement>(first);
    if (found !== null && region.contains(found)) return found;
  }
  if (region.matches(FOCUSABLE)) return region as HTMLElement;
  return [...region.querySelectorAll<HTMLElement>(FOCUSABLE)].find(isShown);
}

function regionsOf(root: ParentNode): { region: Element; entry: HTMLElement }[] {
  return [...root.querySelectorAll(REGIONS)].flatMap((region) => {
    if (region.querySelector(REGIONS) !== null || !isShown(region)) return [];
    const entry = entryOf(region);
    return entry === undefined ? [] : [{ region, entry }];
  });
}

/** Moves the focus to the next region of the page, or to the one before; round at the ends. */
export function goToRegion(backwards: boolean, root: ParentNode = document): void {
  const regions = regionsOf(root);
  const { activeElement } = document;
  const at = regions.findIndex(({ region }) => region.contains(activeElement));
  const before = regions.findLastIndex(
    ({ region }) =>
      activeElement !== null &&
      (region.compareDocumentPosition(activeElement) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0,
  );
  // Outside of all regions: the one after, or before, where the focus is.
  const from = at >= 0 ? at : backwards ? before + 1 : before;
  const next = (from + (backwards ? -1 : 1) + regions.length) % regions.length;
  regions[next]?.entry.focus();
}

/** F6 and Shift+F6 on every page. */
export function useRegionKeys(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (key !== 'F6' || ctrlKey || metaKey || altKey || isDialogOpen()) return;
      // Messages have this key for themselves otherwise: here they are one region among others.
      event.preventDefault();
      event.stopImmediatePropagation();
      goToRegion(shiftKey);
    };
    window.addEventListener('keydown', onKeyDown, { capture: true });
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true });
  }, []);
}
