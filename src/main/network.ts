import type { ElectronLike } from './electron-like.ts';
import { refuseDictionaries } from './guards.ts';

/** What Chromium rejects with where an answer redirects and redirects are not followed. */
const REDIRECTED = /redirect was cancelled/i;

/**
 * `fetch` as the system has it: through its proxy, and with the certificates that the computer
 * trusts. In a session of its own, so that it shares no cookies with the window. Redirects are
 * never followed; one is answered as 302 without a body.
 */
export function systemFetch(electron: Pick<ElectronLike, 'session'>): typeof globalThis.fetch {
  const session = electron.session.fromPartition('exchange', { cache: false });
  refuseDictionaries(session);
  return async (input, init) => {
    try {
      return await session.fetch(input instanceof Request ? input.url : String(input), {
        ...init,
        credentials: 'omit',
        redirect: 'manual',
      });
    } catch (error) {
      if (error instanceof Error && REDIRECTED.test(error.message))
        return new Response(null, { status: 302 });
      throw error;
    }
  };
}
