import type { LinkId } from '../shared/contract/ipc.ts';
import { SERVER_PAGES } from '../shared/contract/page-addresses.ts';
import type { ElectronLike } from './electron-like.ts';

/**
 * Opens a page outside the window, in the system's browser. Pages and documents can only name one
 * of these; their addresses are made here, on this process's own server.
 */
export async function openLink(
  shell: ElectronLike['shell'],
  link: LinkId,
  serverUrl: string | null,
): Promise<boolean> {
  if (serverUrl === null) return false;
  const addresses: Record<LinkId, string> = {
    'api-docs': new URL(SERVER_PAGES.docs, serverUrl).href,
    manual: new URL(SERVER_PAGES.manual, serverUrl).href,
  };
  await shell.openExternal(addresses[link]);
  return true;
}
