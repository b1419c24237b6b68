import { Menu } from '@base-ui/react/menu';
import { type ComponentProps, type RefObject, useLayoutEffect, useRef } from 'react';

const nextFrame = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve));

/**
 * The popup of a menu. The focus moves into it a moment after it opens. Keys that are pressed
 * meanwhile are meant for the menu, but would go to whatever has the focus until then. They are
 * held back, and pressed again in the same order as soon as the menu has the focus.
 */
export function MenuPopup({
  frame,
  ...props
}: Omit<ComponentProps<typeof Menu.Popup>, 'ref'> & { frame?: RefObject<HTMLDivElement | null> }) {
  const own = useRef<HTMLDivElement>(null);
  const ref = frame ?? own;
  useLayoutEffect(() => {
    const popup = ref.current;
    if (popup === null) return undefined;
    const early: KeyboardEvent[] = [];
    const hold = (event: KeyboardEvent): void => {
      const isOfMenu =
        event.type === 'keydown' ? event.key !== 'Tab' : early.some(({ key }) => key === event.key);
      // Keys that are pressed again pass here too; they are not trusted.
      if (!event.isTrusted || !isOfMenu || !popup.hasAttribute('data-open')) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      early.push(event);
    };
    const end = (): void => {
      for (const type of ['keydown', 'keyup'] as const)
        window.removeEventListener(type, hold, { capture: true });
    };
    const arrive = async (): Promise<void> => {
      // The focus first comes to the popup, and in the next frame to its first entry.
      for (let frame = 0; frame < 2; frame += 1) await nextFrame();
      for (let event = early[0]; event !== undefined; event = early[0]) {
        const { activeElement } = document;
        // One of them may have closed the menu: those after it are for what has the focus then.
        const lacksFocus = popup.isConnected && !popup.contains(activeElement);
        (lacksFocus ? popup : activeElement)?.dispatchEvent(
          new window.KeyboardEvent(event.type, event),
        );
        // The menu draws the result before the next key comes.
        await Promise.resolve();
        early.shift();
      }
      end();
    };
    for (const type of ['keydown', 'keyup'] as const)
      window.addEventListener(type, hold, { capture: true });
    popup.addEventListener('focusin', () => void arrive(), { once: true });
    return end;
  }, [ref]);
  return <Menu.Popup {...props} ref={ref} />;
}
