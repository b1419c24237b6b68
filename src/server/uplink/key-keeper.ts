import { chmodSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { replaceFile } from '../atomic-file.ts';
import type { Home } from '../deps.ts';
import type { Vault } from '../pepper.ts';
import type { StoredUplink } from '../storage/uplink-port.ts';

type Kept = Pick<StoredUplink, 'key_kept' | 'sealed_key'>;
const SEPARATOR = ' ';

/** Keeps the hosted server's key between starts, where that can be done safely. */
export interface KeyKeeper {
  keep(url: string, key: string): Promise<Kept>;
  /** The key of a former start; undefined where it was not kept, or the system's key store does not open. A key goes to the server that it was given for, and to no other. */
  recall(kept: Kept & Pick<StoredUplink, 'url'>): Promise<string | undefined>;
  forget(): void;
}

/**
 * Sealed by the system where there is a key store. Without one a desktop keeps the key in memory: its person is there to give it again. A server
 * on its own must come back by itself, and keeps it as it does its own secret, in a file that its owner alone can read.
 */
export function createKeyKeeper({ folder, home, vault }: { folder: string; home: Home; vault: Vault | undefined }): KeyKeeper {
  const file = path.join(folder, 'uplink.key');
  async function read({ key_kept, sealed_key }: Kept): Promise<string | undefined> {
    if (key_kept === 'sealed' && sealed_key !== null) return (await vault?.open(sealed_key))?.secret;
    if (key_kept !== 'file') return undefined;
    chmodSync(file, 0o600);
    return readFileSync(file, 'utf8').trim();
  }
  return {
    async keep(url, key) {
      const secret = url + SEPARATOR + key;
      rmSync(file, { force: true });
      const sealed = await vault?.seal(secret).catch(() => undefined);
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
