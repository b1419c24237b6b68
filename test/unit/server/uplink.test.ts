import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SecretStore } from '../../../src/server/instance/hmac-secret.ts';
import { parseAddress } from '../../../src/server/uplink/address.ts';
import { clockWarning } from '../../../src/server/uplink/handshake.ts';
import { createKeyStore } from '../../../src/server/uplink/key-store.ts';

describe('an address of a hosted server', () => {
  it.each([
    ['https://evidence.example.org', 'https://evidence.example.org'],
    [' https://Evidence.Example.org/studio?x=1 ', 'https://evidence.example.org'],
    ['http://127.0.0.1:4748/', 'http://127.0.0.1:4748'],
    ['http://[::1]:4748', 'http://[::1]:4748'],
    ['http://localhost:1', 'http://localhost:1'],
  ])('%s is %s', (text, origin) => expect(parseAddress(text)).toEqual({ origin }));

  it.each([
    'http://10.0.0.1',
    'http://127.0.0.1.evil.test',
    'http://localhost.evil.test',
    'https://a:b@example.org',
    'file:///etc',
    'app://studio',
    '',
    'example.org',
  ])('is not %j', (text) => expect(parseAddress(text)).toHaveProperty('problem'));
});

describe('a clock that is off', () => {
  it('is told of from two minutes on', () => {
    expect([null, 0, 119_000, -120_000].map(clockWarning)).toEqual([null, null, null, null]);
    expect(clockWarning(600_000)).toContain('10 minutes behind');
    expect(clockWarning(-86_400_000)).toContain('1440 minutes ahead of');
  });
});

describe('the hosted server’s key', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'evidence-key-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const secretStore: SecretStore = {
    seal: async (secret) => Buffer.from(secret).reverse(),
    open: async (sealed) => ({ secret: Buffer.from(sealed).reverse().toString(), again: false }),
  };
  const locked: SecretStore = {
    seal: () => Promise.reject(new Error('closed')),
    open: () => Promise.reject(new Error('closed')),
  };
  const url = 'https://evidence.example.org';

  it('is sealed where there is a key store, and comes back for the server that it was given for alone', async () => {
    const keyStore = createKeyStore({ folder, home: 'desktop', secretStore });
    const kept = await keyStore.keep(url, 'evs_key');
    expect(kept.key_kept).toBe('sealed');
    expect(await keyStore.recall({ ...kept, url })).toBe('evs_key');
    expect(await keyStore.recall({ ...kept, url: 'https://elsewhere.test' })).toBeUndefined();
    expect(
      await createKeyStore({ folder, home: 'desktop', secretStore: locked }).recall({
        ...kept,
        url,
      }),
    ).toBeUndefined();
  });

  it('stays in memory on a desktop without one, and lies in a file of its own for a server', async () => {
    const desktop = createKeyStore({ folder, home: 'desktop', secretStore: locked });
    expect(await desktop.keep(url, 'evs_key')).toEqual({ key_kept: 'memory', sealed_key: null });
    expect(await desktop.recall({ key_kept: 'memory', sealed_key: null, url })).toBeUndefined();
    const server = createKeyStore({ folder, home: 'local', secretStore: undefined });
    const kept = await server.keep(url, 'evs_key');
    expect(await server.recall({ ...kept, url })).toBe('evs_key');
    writeFileSync(path.join(folder, 'uplink.key'), 'nonsense');
    expect(await server.recall({ ...kept, url })).toBeUndefined();
    server.forget();
    expect(await server.recall({ ...kept, url })).toBeUndefined();
  });
});
