/**
 * A page worked by keys and by ear: what a screen reader gets of it, and whether anyone has touched
 * it with a pointer.
 */
import { type CDPSession, expect, type Page } from '@playwright/test';

interface Recorded {
  /** What live regions said, in order. */
  heard: string[];
  /** Pointer, mouse, wheel and touch events that a person made. */
  pointed: string[];
}

/** From the next page load on. */
export async function listen(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const recorded: Recorded = { heard: [], pointed: [] };
    Object.assign(window, { recorded });
    const LIVE = '[aria-live]:not([aria-live=off]), [role=status], [role=alert], [role=log]';
    const last = new WeakMap<Element, string>();
    const read = (region: HTMLElement | null | undefined): void => {
      if (
        region === null ||
        region === undefined ||
        region.closest('[inert], [aria-hidden=true]') !== null
      )
        return;
      const text = region.innerText.replaceAll(/[\s\u00a0]+/g, ' ').trim();
      const before = last.get(region);
      last.set(region, region.innerText);
      if (text !== '' && before !== region.innerText) recorded.heard.push(text);
    };
    new MutationObserver((changes) => {
      for (const { target, addedNodes } of changes) {
        const element = target instanceof Element ? target : target.parentElement;
        read(element?.closest<HTMLElement>(LIVE));
        // A region that comes with its words is read out only if it is an alert.
        for (const added of addedNodes)
          if (added instanceof HTMLElement)
            for (const alert of [added, ...added.querySelectorAll<HTMLElement>('*')])
              if (alert.matches('[role=alert]')) read(alert);
      }
    }).observe(document, { subtree: true, childList: true, characterData: true });
    for (const kind of [
      'pointerdown',
      'pointerup',
      'pointermove',
      'mousedown',
      'mouseup',
      'mousemove',
      'wheel',
      'touchstart',
      'dragstart',
      'click',
      'contextmenu',
    ]) {
      window.addEventListener(
        kind,
        (event) => {
          // A click that a key made has no count of presses.
          if (
            event.isTrusted &&
            !(kind === 'click' && event instanceof MouseEvent && event.detail === 0)
          )
            recorded.pointed.push(kind);
        },
        { capture: true, passive: true },
      );
    }
  });
}

const recorded = (page: Page): Promise<Recorded> =>
  page.evaluate(() => (window as unknown as { recorded: Recorded }).recorded);
export const heard = async (page: Page): Promise<string[]> => (await recorded(page)).heard;
export const pointed = async (page: Page): Promise<string[]> => (await recorded(page)).pointed;

/** Says the sentences from here on, in this order; others may come between. */
export function createListener(page: Page): (...sentences: (string | RegExp)[]) => Promise<void> {
  let from = 0;
  const fits = (said: string, wanted: string | RegExp): boolean =>
    typeof wanted === 'string' ? said === wanted : wanted.test(said);
  return async (...sentences) => {
    for (const wanted of sentences) {
      let all: string[] = [];
      let at = -1;
      await expect
        .poll(
          async () => {
            all = (await heard(page)).slice(from);
            at = all.findIndex((said) => fits(said, wanted));
            return at >= 0 ? 'heard' : `not among: ${JSON.stringify(all)}`;
          },
          { message: `“${String(wanted)}” is read out`, timeout: 15_000 },
        )
        .toBe('heard');
      from += at + 1;
    }
  };
}

const sessions = new WeakMap<Page, Promise<CDPSession>>();

export interface Spoken {
  role: string;
  name: string;
  description: string;
  /** Properties of the accessibility tree: `selected`, `modal`, `expanded` … */
  states: Record<string, unknown>;
}

/** A node of the accessibility tree as the browser hands it to a screen reader. */
export async function nodeOf(page: Page, expression: string): Promise<Spoken> {
  if (!sessions.has(page)) sessions.set(page, page.context().newCDPSession(page));
  const client = await sessions.get(page)!;
  const { result } = await client.send('Runtime.evaluate', { expression });
  if (result.objectId === undefined) throw new Error(`no element: ${expression}`);
  const {
    nodes: [node],
  } = await client.send('Accessibility.getPartialAXTree', {
    objectId: result.objectId,
    fetchRelatives: false,
  });
  const text = (value: { value?: unknown } | undefined): string =>
    typeof value?.value === 'string' ? value.value : '';
  return {
    role: text(node?.role),
    name: text(node?.name),
    description: text(node?.description),
    states: Object.fromEntries(
      (node?.properties ?? []).map(({ name, value }) => [name, value.value]),
    ),
  };
}
export const focusedNode = (page: Page): Promise<Spoken> => nodeOf(page, 'document.activeElement');

/** Presses keys one after the other; after each the focus must be somewhere that can be heard. */
export async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) {
    await page.keyboard.press(key);
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.tagName), {
        message: `the focus after ${key}`,
      })
      .not.toBe('BODY');
  }
}

/** Goes on by Tab to a control of this role and name. */
export async function tabTo(
  page: Page,
  role: string,
  name: string | RegExp,
  most = 30,
): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < most; presses += 1) {
    const at = await focusedNode(page);
    if (at.role === role && (typeof name === 'string' ? at.name === name : name.test(at.name)))
      return;
    passed.push(`${at.role} ${at.name}`);
    await press(page, 'Tab');
  }
  throw new Error(`Tab does not lead to ${role} ${String(name)}, but to ${passed.join('; ')}`);
}

/** As another program leaves it there; then Ctrl+V. */
export async function pasteFrom(page: Page, data: { text: string; html?: string }): Promise<void> {
  await page.evaluate(async ({ text, html }) => {
    const kinds = { 'text/plain': text, ...(html === undefined ? {} : { 'text/html': html }) };
    await navigator.clipboard.write([
      new ClipboardItem(
        Object.fromEntries(
          Object.entries(kinds).map(([kind, value]) => [kind, new Blob([value], { type: kind })]),
        ),
      ),
    ]);
  }, data);
  await press(page, 'Control+v');
}

/** A command of the palette, which its first letters lead to. */
export async function command(page: Page, typed: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog', { name: 'Commands' }).getByRole('combobox')).toBeFocused();
  await page.keyboard.type(typed);
  await expect(page.getByRole('option').first()).toHaveAccessibleName(
    new RegExp(`^${typed.replace(/[()]/g, '\\$&')}`, 'i'),
  );
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Commands' })).toHaveCount(0);
}
