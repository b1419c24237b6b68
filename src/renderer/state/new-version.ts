import { z } from 'zod';
import { scriptAddress } from './trusted-types.ts';

/**
 * Whether a newer build of the studio than this window's is kept by the browser: what the next load
 * of the page shows.
 */
export interface NewVersion {
  isReady: () => boolean;
  subscribe: (listener: () => void) => () => void;
}

export const NO_NEW_VERSION: NewVersion = {
  isReady: () => false,
  subscribe: () => () => undefined,
};

const News = z.strictObject({ build: z.string() });

/**
 * Has the browser keep the files of this build, so that the studio starts without the server and
 * can be installed. Where it will not, the studio works as before.
 */
export function keepOwnFiles(
  build: string,
  document: Document,
  { serviceWorker, locks }: Navigator,
): NewVersion {
  const listeners = new Set<() => void>();
  let ready = false;
  // Held while the window lives: the service worker keeps this build's files as long.
  void locks.request(`studio-${build}`, { mode: 'shared' }, () => new Promise(() => undefined));
  serviceWorker.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const news = News.safeParse(data);
    if (!news.success || news.data.build === build) return;
    ready = true;
    for (const listener of listeners) listener();
  });
  serviceWorker.startMessages();
  const registered = serviceWorker
    .register(scriptAddress('/service-worker.js'), { updateViaCache: 'none' })
    .catch(() => undefined);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible')
      void registered.then((registration) => registration?.update()).catch(() => undefined);
  });
  const manifest = document.createElement('link');
  manifest.rel = 'manifest';
  manifest.href = '/studio.webmanifest';
  document.head.append(manifest);
  return {
    isReady: () => ready,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
