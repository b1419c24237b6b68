import type { LinkId } from '../shared/contract/ipc.ts';
import type { ElectronLike } from './electron-like.ts';

/**
 * Opens a page outside the window, in the system's browser. A page or a document can only name one of these; the addresses are made here,
 * of this process's own server.
 */
export async function openLink(shell: ElectronLike['shell'], link: LinkId, serverUrl: string | null): Promise<boolean> {
  if (serverUrl === null) return false;
  const addresses: Record<LinkId, string> = { 'api-docs': new URL('/docs', serverUrl).href };
  await shell.openExternal(addresses[link]);
  return true;
}

/** A web address out of the evidence, as it would be asked for: an international name of a host is spelt out, so that no letter passes for another. */
function plainAddress(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.password !== '') return undefined;
  return url;
}

/** Evidence may come from anyone, so an address in it is opened only where the person has read it here and agrees. */
export async function openReference({ shell, dialog }: Pick<ElectronLike, 'shell' | 'dialog'>, address: string): Promise<boolean> {
  const url = plainAddress(address);
  if (url === undefined) return false;
  const { response } = await dialog.showMessageBox({ type: 'question', message: `Open ${url.host} in the browser?`, detail: url.href, buttons: ['Open', 'Cancel'], defaultId: 0, cancelId: 1 });
  if (response !== 0) return false;
  await shell.openExternal(url.href);
  return true;
}
