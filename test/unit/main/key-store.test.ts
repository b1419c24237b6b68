import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { SafeStorageLike } from '../../../src/main/electron-like.ts';
import { openKeyStore } from '../../../src/main/key-store.ts';
import {
  loadHmacSecret,
  SealedSecretError,
  type SecretStore,
} from '../../../src/server/instance/hmac-secret.ts';

const folders: string[] = [];
function newFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'key-store-'));
  folders.push(folder);
  return folder;
}
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

let seed = 0;
const random = { bytes: (length: number) => new Uint8Array(length).fill(++seed) };
const scramble = (text: string): Buffer =>
  Buffer.from([...Buffer.from(text)].map((byte) => byte ^ 0x5a));
const unscramble = (sealed: Uint8Array): string =>
  Buffer.from([...sealed].map((byte) => byte ^ 0x5a)).toString();

/** Electron 45: the asynchronous API beside the elder one, which must not be touched. */
function modern(overrides: Partial<SafeStorageLike> = {}): SafeStorageLike {
  const never = (): never => {
    throw new Error('The synchronous API was used.');
  };
  return {
    isEncryptionAvailable: never,
    encryptString: never,
    decryptString: never,
    getSelectedStorageBackend: () => 'gnome_libsecret',
    isAsyncEncryptionAvailable: async () => true,
    encryptStringAsync: async (text) => scramble(text),
    decryptStringAsync: async (sealed) => ({ result: unscramble(sealed), shouldReEncrypt: false }),
    ...overrides,
  };
}
const elder: SafeStorageLike = {
  isEncryptionAvailable: () => true,
  encryptString: scramble,
  decryptString: unscramble,
  getSelectedStorageBackend: () => 'kwallet6',
};

const load = async (
  folder: string,
  storage: SafeStorageLike,
  { packaged = true, platform = 'linux' as NodeJS.Platform } = {},
) => loadHmacSecret(folder, random, await openKeyStore(storage, platform, packaged));
/** No file of the folder holds the secret in any plain form. */
function isNowhereInClear(folder: string, secret: Uint8Array): boolean {
  const forms = ['base64url', 'base64', 'hex'].map((encoding) =>
    Buffer.from(secret).toString(encoding as BufferEncoding),
  );
  return readdirSync(folder).every((name) => {
    const bytes = readFileSync(path.join(folder, name));
    return !bytes.includes(Buffer.from(secret)) && forms.every((form) => !bytes.includes(form));
  });
}

describe('E10 the secret for API keys', () => {
  for (const [name, storage] of [
    ['asynchronous', modern()],
    ['elder', elder],
  ] as const) {
    it(`E10 goes into the key store of a packaged application (${name} API) and comes back`, async () => {
      const folder = newFolder();
      const first = await load(folder, storage);
      expect(readdirSync(folder)).toEqual(['pepper.sealed']);
      expect(isNowhereInClear(folder, first.bytes)).toBe(true);
      expect(await load(folder, storage)).toEqual(first);
    });
  }

  for (const [name, storage, platform] of [
    ['no key store', modern({ isAsyncEncryptionAvailable: async () => false }), 'win32'],
    [
      'the fixed password of basic_text',
      modern({ getSelectedStorageBackend: () => 'basic_text' }),
      'linux',
    ],
    ['a backend nobody knows yet', modern({ getSelectedStorageBackend: () => 'unknown' }), 'linux'],
    [
      'a key store that throws when asked',
      modern({ isAsyncEncryptionAvailable: async () => Promise.reject(new Error('locked')) }),
      'darwin',
    ],
    [
      'a key store that throws when sealing',
      modern({ encryptStringAsync: async () => Promise.reject(new Error('locked')) }),
      'darwin',
    ],
  ] as const) {
    it(`E10 ${name}: a file that its owner alone can read, and keys keep working`, async () => {
      const folder = newFolder();
      const first = await load(folder, storage, { platform });
      expect(readdirSync(folder)).toEqual(['pepper.key']);
      expect(statSync(path.join(folder, 'pepper.key')).mode & 0o777).toBe(0o600);
      expect(first.problem).toBeNull();
      expect(await load(folder, storage, { platform })).toEqual(first);
    });
  }

  it('E10 a clone shares the folder with the command line: a new secret stays in the file', async () => {
    const folder = newFolder();
    const first = await load(folder, modern(), { packaged: false });
    expect(readdirSync(folder)).toEqual(['pepper.key']);
    expect(await loadHmacSecret(folder, random, undefined)).toEqual(first);
  });

  it('E10 a secret that does not open: the data does, keys are plainly refused, the file stays for another day', async () => {
    const folder = newFolder();
    const first = await load(folder, modern());
    const before = readFileSync(path.join(folder, 'pepper.sealed'));
    for (const broken of [
      modern({ decryptStringAsync: async () => Promise.reject(new Error('locked')) }),
      modern({ getSelectedStorageBackend: () => 'basic_text' }),
    ]) {
      const other = await load(folder, broken);
      expect(other.bytes).not.toEqual(first.bytes);
      expect(other.problem).toContain('API keys are refused');
      expect(readFileSync(path.join(folder, 'pepper.sealed'))).toEqual(before);
      expect(readdirSync(folder)).toEqual(['pepper.sealed']);
    }
    expect(await load(folder, modern())).toEqual(first);
  });

  it('E10 shouldReEncrypt: the secret is sealed anew and stays the same', async () => {
    const folder = newFolder();
    const first = await load(folder, modern());
    let sealed = 0;
    const rotated = modern({
      decryptStringAsync: async (bytes) => ({ result: unscramble(bytes), shouldReEncrypt: true }),
      encryptStringAsync: async (text) => (sealed++, scramble(text)),
    });
    expect(await load(folder, rotated)).toEqual(first);
    expect(sealed).toBe(1);
    expect(await load(folder, modern())).toEqual(first);
    expect(readdirSync(folder)).toEqual(['pepper.sealed']);
  });

  it('E10 the command line says plainly that it cannot open a sealed secret', async () => {
    const folder = newFolder();
    await load(folder, modern());
    await expect(loadHmacSecret(folder, random, undefined)).rejects.toThrow(SealedSecretError);
  });

  it('a secret of the wrong length is an error, not a weaker secret', async () => {
    const folder = newFolder();
    writeFileSync(path.join(folder, 'pepper.key'), 'c2hvcnQ\n');
    await expect(loadHmacSecret(folder, random, undefined)).rejects.toThrow('32 bytes');
  });

  it('of two processes that start at once, both use one secret', async () => {
    const folder = newFolder();
    const slow = (): SecretStore => ({
      seal: () => new Promise((_, reject) => setTimeout(() => reject(new Error('none')), 5)),
      open: () => Promise.reject(new Error('none')),
    });
    const [a, b] = await Promise.all([
      loadHmacSecret(folder, random, slow()),
      loadHmacSecret(folder, random, slow()),
    ]);
    expect(a.bytes).toEqual(b.bytes);
    expect(existsSync(path.join(folder, 'pepper.key'))).toBe(true);
    expect(readdirSync(folder)).toEqual(['pepper.key']);
  });
});
