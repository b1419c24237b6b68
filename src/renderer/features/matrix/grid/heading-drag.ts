import type { Editor } from '../editor/editor.ts';
import { selectRule } from '../editor/selecting.ts';
import { place } from '../model/column-plan.ts';
import { headingOf } from './rule-heading.ts';

/** Pixels before a press on the handle is a drag. */
const SLACK = 4;
const EDGE = 36;
const STEP = 14;

/**
 * The rule before which a dragged one would stand, and where that is; null: after the last one.
 */
function targetAt(
  host: HTMLElement,
  x: number,
): { before: string | null; at: number; top: number } | undefined {
  const all = [...host.querySelectorAll<HTMLElement>('.ag-header-cell.mx-head-rule')]
    .flatMap((element) => {
      const rule = headingOf(element)?.rule;
      return rule === undefined ? [] : [{ rule, box: element.getBoundingClientRect() }];
    })
    .toSorted((a, b) => a.box.left - b.box.left);
  const next = all.find(({ box }) => x < box.left + box.width / 2);
  const last = all.at(-1);
  if (last === undefined) return undefined;
  return next === undefined
    ? { before: null, at: last.box.right, top: last.box.top }
    : { before: next.rule, at: next.box.left, top: next.box.top };
}

/**
 * The line that shows where the rule would go; scrolls at the borders while a drag is under way.
 */
function createMarker(host: HTMLElement): { begin(): void; follow(x: number): void; end(): void } {
  const line = Object.assign(document.createElement('div'), { className: 'mx-drop' });
  let frame = 0;
  let at: number | undefined;
  const draw = (x: number): void => {
    const to = targetAt(host, x);
    if (to === undefined) return;
    const box = host.getBoundingClientRect();
    line.style.left = `${to.at - box.left - 1}px`;
    line.style.top = `${to.top - box.top}px`;
    if (!line.isConnected) host.append(line);
  };
  const scroll = (): void => {
    if (at !== undefined) {
      const box = host.getBoundingClientRect();
      const by = at > box.right - EDGE ? STEP : at < box.left + EDGE ? -STEP : 0;
      if (by !== 0) {
        host.querySelector('[role=grid], [role=treegrid]')?.scrollBy(by, 0);
        draw(at);
      }
    }
    frame = requestAnimationFrame(scroll);
  };
  return {
    begin: () => {
      frame = requestAnimationFrame(scroll);
    },
    follow: (x) => {
      at = x;
      host.classList.add('mx-moving');
      draw(x);
    },
    end: () => {
      at = undefined;
      cancelAnimationFrame(frame);
      line.remove();
      host.classList.remove('mx-moving');
    },
  };
}

/**
 * Moves a rule by the handle in its heading; a line shows where it would go, Escape gives it up.
 */
export function listenToHeadingDrag(host: HTMLElement, editor: Editor): () => void {
  let drag:
    | { rule: string; element: HTMLElement; from: number; x: number; moved: boolean }
    | undefined;
  const marker = createMarker(host);
  const end = (): void => {
    drag = undefined;
    marker.end();
  };
  const onDown = (event: PointerEvent): void => {
    const heading = headingOf(event.target);
    if (
      event.button !== 0 ||
      heading === undefined ||
      !(event.target instanceof Element) ||
      event.target.closest('.mx-rule-grip') === null
    )
      return;
    event.preventDefault();
    drag = { ...heading, from: event.clientX, x: event.clientX, moved: false };
    marker.begin();
  };
  const onMove = (event: PointerEvent): void => {
    if (drag === undefined) return;
    drag.x = event.clientX;
    if (Math.abs(drag.x - drag.from) > SLACK) drag.moved = true;
    if (drag.moved) marker.follow(drag.x);
  };
  const onUp = (): void => {
    if (drag === undefined) return;
    const { rule, element, moved, x } = drag;
    const to = moved ? targetAt(host, x) : undefined;
    end();
    if (!moved) {
      selectRule(editor, rule, 'only');
      element.focus({ preventScroll: true });
    }
    if (to === undefined) return;
    const { columns } = editor.store.getState();
    editor.arrange({ columns: place(columns, editor.session.rules, rule, to.before) });
  };
  const onKey = (event: KeyboardEvent): void => {
    if (drag === undefined || event.key !== 'Escape') return;
    event.stopPropagation();
    end();
  };
  host.addEventListener('pointerdown', onDown, { capture: true });
  window.addEventListener('pointermove', onMove);
  window.addEventListener('pointerup', onUp);
  window.addEventListener('pointercancel', end);
  window.addEventListener('keydown', onKey, { capture: true });
  return () => {
    end();
    host.removeEventListener('pointerdown', onDown, { capture: true });
    window.removeEventListener('pointermove', onMove);
    window.removeEventListener('pointerup', onUp);
    window.removeEventListener('pointercancel', end);
    window.removeEventListener('keydown', onKey, { capture: true });
  };
}
