/**
 * Distance from the border, in pixels, from which a drag scrolls; and the farthest it goes in a
 * frame.
 */
const EDGE = 28;
const STEP = 24;
/** A pointer that moved less, in pixels, still presses: a press near the border scrolls nothing. */
const STILL = 4;
/** Room of the scroll bars, where no cell is. */
const BAR = 20;

const pull = (position: number, low: number, high: number): number =>
  position < low + EDGE
    ? Math.max(-STEP, position - low - EDGE)
    : position > high - EDGE
      ? Math.min(STEP, position - high + EDGE)
      : 0;

export interface Drag {
  /** Scrolls sideways too. */
  across: boolean;
  /** What lies under the pointer now, or nearest to it among what scrolls. */
  follow(under: Element | null): void;
  end(): void;
  /** Escape, or the browser took the pointer away. */
  cancel(): void;
}

export interface Dragging {
  start(event: PointerEvent, drag: Drag): void;
  stop(): void;
}

interface Pointer {
  across: boolean;
  x: number;
  y: number;
}

/** What scrolls: below the headings, right of the frozen columns. */
function areaOf(
  host: HTMLElement,
  element: HTMLElement,
): { left: number; top: number; right: number; bottom: number } {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const headings = host
    .querySelector('.ag-header-cell.mx-head-rule')
    ?.closest('.ag-header')
    ?.getBoundingClientRect();
  const frozen = host.querySelector('.ag-cell-last-left-pinned')?.getBoundingClientRect();
  return {
    left: frozen?.right ?? left,
    top: headings?.bottom ?? top,
    right: right - BAR,
    bottom: bottom - BAR,
  };
}

/** What lies under the pointer, or nearest to it among what scrolls. */
function nearest(
  host: HTMLElement,
  element: HTMLElement,
  { across, x, y }: Pointer,
): Element | null {
  const { left, top, right, bottom } = areaOf(host, element);
  const isAway = across && x < left && element.scrollLeft > 0;
  const from = isAway ? left + 1 : element.getBoundingClientRect().left + 1;
  return document.elementFromPoint(
    Math.min(Math.max(x, from), right),
    Math.min(Math.max(y, top + 1), bottom),
  );
}

/** Scrolls a step towards a pointer near the border; false where it is not near. */
function scrollTowards(
  host: HTMLElement,
  element: HTMLElement,
  { across, x, y }: Pointer,
): boolean {
  const { left, top, right, bottom } = areaOf(host, element);
  const dx = across ? pull(x, left, right) : 0;
  const dy = pull(y, top, bottom);
  if (dx === 0 && dy === 0) return false;
  element.scrollBy(dx, dy);
  return true;
}

/** One drag at a time, which scrolls at the borders of what scrolls. */
export function createDragging(host: HTMLElement, viewport: () => HTMLElement | null): Dragging {
  let drag: (Drag & Pointer & { isMoving: boolean }) | undefined;
  let frame = 0;
  const follow = (): void => {
    const element = viewport();
    if (drag !== undefined && element !== null) drag.follow(nearest(host, element, drag));
  };
  const scroll = (): void => {
    const element = viewport();
    if (drag === undefined || element === null) return;
    frame = requestAnimationFrame(scroll);
    if (drag.isMoving && scrollTowards(host, element, drag)) follow();
  };
  const finish = (how: 'end' | 'cancel'): void => {
    const ended = drag;
    if (ended === undefined) return;
    drag = undefined;
    cancelAnimationFrame(frame);
    ended[how]();
  };
  const onMove = (event: PointerEvent): void => {
    if (drag === undefined) return;
    const isMoving =
      drag.isMoving || Math.hypot(event.clientX - drag.x, event.clientY - drag.y) >= STILL;
    drag = Object.assign(drag, isMoving ? { x: event.clientX, y: event.clientY, isMoving } : {});
    follow();
  };
  const onUp = (): void => finish('end');
  const onCancel = (): void => finish('cancel');
  const onKey = (event: KeyboardEvent): void => {
    if (drag === undefined || event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    finish('cancel');
  };
  window.addEventListener('pointermove', onMove);
  window.addEventListener('pointerup', onUp);
  window.addEventListener('pointercancel', onCancel);
  window.addEventListener('keydown', onKey, { capture: true });
  return {
    start: (event, next) => {
      finish('cancel');
      drag = Object.assign(next, { x: event.clientX, y: event.clientY, isMoving: false });
      frame = requestAnimationFrame(scroll);
    },
    stop: () => {
      finish('cancel');
      window.removeEventListener('pointermove', onMove);
      window.removeEventListener('pointerup', onUp);
      window.removeEventListener('pointercancel', onCancel);
      window.removeEventListener('keydown', onKey, { capture: true });
    },
  };
}
