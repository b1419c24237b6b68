import { chmodSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { replaceFile } from '../instance/atomic-file.ts';
import type { Home } from '../../shared/contract/v1/account.ts';
import type { SecretStore } from '../instance/hmac-secret.ts';
import type { StoredUplink } from '../storage/replication/uplink.ts';

type KeptKey = Pick<StoredUplink, 'key_kept' | 'sealed_key'>;
const SEPARATOR = ' ';

/** Keeps the key of the hosted server from one start to the next, where that can be done safely. */
export interface KeyStore {
  keep(url: string, key: string): Promise<KeptKey>;
  /**
   * The key kept by an earlier start; undefined where none was kept or the system's key store does
   * not open. It is given out only for the server that it belongs to.
   */
  recall(kept: KeptKey & Pick<StoredUplink, 'url'>): Promise<string | undefined>;
  forget(): void;
}

/**
 * Where the system has a key store, the key is sealed by it. Without one, a desktop keeps the key
 * in memory, since its person can enter it again; a server has to start without help, so it keeps
 * the key in a file that only its owner can read.
 */
export function createKeyStore({
  folder,
  home,
  secretStore,
}: {
  folder: string;
  home: Home;
  secretStore: SecretStore | undefined;
}): KeyStore {
  const file = path.join(folder, 'uplink.key');
  async function read({ key_kept, sealed_key }: KeptKey): Promise<string | undefined> {
    if (key_kept === 'sealed' && sealed_key !== null)
      return (await secretStore?.open(sealed_key))?.secret;
    if (key_kept !== 'file') return undefined;
    chmodSync(file, 0o600);
    return readFileSync(file, 'utf8').trim();
  }
  return {
    async keep(url, key) {
      const secret = url + SEPARATOR + key;
      rmSync(file, { force: true });
      const sealed = await secretStore?.seal(secret).catch(() => undefined);
      if (sealed !== undefined) return { key_kept: 'sealed', sealed_key: sealed };
      if (home === 'desktop') return { key_kept: 'memory', sealed_key: null };
      replaceFile(file, `${secret}\n`);
      return { key_kept: 'file', sealed_key: null };
    },
    async recall(kept) {
      const [url, key] = (await read(kept).catch(() => undefined))?.split(SEPARATOR) ?? [];
      return url === kept.url ? key : undefined;
    },
    forget: () => rmSync(file, { force: true }),
  };
}
