import type { SecretStore } from '../server/instance/hmac-secret.ts';
import type { SafeStorageLike } from './electron-like.ts';

/** The asynchronous API of Electron 43 and later. */
async function modern(storage: SafeStorageLike): Promise<SecretStore | undefined> {
  const { encryptStringAsync, decryptStringAsync, isAsyncEncryptionAvailable } = storage;
  if (
    encryptStringAsync === undefined ||
    decryptStringAsync === undefined ||
    isAsyncEncryptionAvailable === undefined
  )
    return undefined;
  if (!(await isAsyncEncryptionAvailable.call(storage))) return undefined;
  return {
    seal: (secret) => encryptStringAsync.call(storage, secret),
    open: async (sealed) => {
      const { result, shouldReEncrypt } = await decryptStringAsync.call(
        storage,
        Buffer.from(sealed),
      );
      return { secret: result, again: shouldReEncrypt };
    },
  };
}

function legacy(storage: SafeStorageLike): SecretStore | undefined {
  if (!storage.isEncryptionAvailable()) return undefined;
  return {
    seal: async (secret) => storage.encryptString(secret),
    open: async (sealed) => ({ secret: storage.decryptString(Buffer.from(sealed)), again: false }),
  };
}

const closed = (): Promise<never> => Promise.reject(new Error('There is no key store.'));

async function find(
  storage: SafeStorageLike,
  platform: NodeJS.Platform,
): Promise<SecretStore | undefined> {
  if (platform === 'linux') {
    // On Linux without a secret service, Electron would encrypt with a password that everybody
    // knows.
    const backend = storage.getSelectedStorageBackend?.() ?? 'unknown';
    if (backend === 'basic_text' || backend === 'unknown') return undefined;
  }
  return storage.isAsyncEncryptionAvailable === undefined ? legacy(storage) : modern(storage);
}

/**
 * The system's key store, asked for after the application is ready. Where there is none, `seal` and
 * `open` reject, and the secret is kept in a file. `mayKeep`: whether new secrets are sealed. Only
 * a packaged application does so: in a clone, the command line shares the data folder and could not
 * open what Electron has sealed.
 */
export async function openKeyStore(
  storage: SafeStorageLike,
  platform: NodeJS.Platform,
  mayKeep: boolean,
): Promise<SecretStore> {
  const found = await find(storage, platform).catch(() => undefined);
  return {
    seal: mayKeep && found !== undefined ? found.seal : closed,
    open: found?.open ?? closed,
  };
}
