import type { Desktop } from '../../shared/contract/ipc.ts';

declare global {
  interface Window {
    /** Put there by the preload of the desktop application; absent in a browser. */
    readonly desktop?: Desktop;
  }
}

export function getDesktop(): Desktop | undefined {
  return window.desktop;
}
