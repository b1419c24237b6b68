import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { keyMac, mintKey, parseKey, sameMac } from '../../src/server/auth/keys.ts';
import { shardOf } from '../../src/server/auth/shard.ts';
import { createCookies, mintToken, tokenHash } from '../../src/server/auth/session.ts';
import { known } from '../../src/shared/contract/ids.ts';

const random = { bytes: (length: number) => new Uint8Array(randomBytes(length)) };

describe('API keys', () => {
  it('have the form that scanners look for, and carry their identifier', () => {
    const { key, key_id, prefix } = mintKey(random);
    expect(key).toMatch(/^evs_[0-9A-Za-z]{10}_[0-9A-Za-z]{32}[0-9A-Za-z]{6}$/);
    expect(prefix).toBe(`evs_${key_id}`);
    expect(parseKey(key)).toBe(key_id);
  });
  it('is a fixed function of its random bytes', () => {
    // Every byte 0 is the digit 0; the checksum is CRC-32 (ISO-HDLC) of the 47 characters before
    // it.
    expect(mintKey({ bytes: (length) => new Uint8Array(length) }).key).toBe(
      'evs_0000000000_000000000000000000000000000000004QB974',
    );
  });
  it('are refused after any one wrong character, without a look into the store', () => {
    const { key } = mintKey(random);
    for (let i = 0; i < key.length; i += 1) {
      const other = key[i] === 'x' ? 'y' : 'x';
      expect(parseKey(key.slice(0, i) + other + key.slice(i + 1))).toBeUndefined();
    }
    for (const text of ['', key.slice(1), `${key}0`, ` ${key}`, `${key}\n`, key.toUpperCase()])
      expect(parseKey(text)).toBeUndefined();
  });
  it('use each of the 62 digits about equally often', () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 2_000; i += 1)
      for (const char of mintKey(random).key.slice(15, 47))
        counts.set(char, (counts.get(char) ?? 0) + 1);
    expect(counts.size).toBe(62);
    const mean = (2_000 * 32) / 62;
    for (const count of counts.values())
      expect(Math.abs(count - mean)).toBeLessThan(6 * Math.sqrt(mean));
  });
  it('are stored under a secret of the server', () => {
    const { key } = mintKey(random);
    const [a, b] = [random.bytes(32), random.bytes(32)];
    expect(sameMac(keyMac(key, a), keyMac(key, a))).toBe(true);
    expect(sameMac(keyMac(key, a), keyMac(key, b))).toBe(false);
    expect(sameMac(keyMac(key, a), new Uint8Array(31))).toBe(false);
  });
});

describe('the label of an account', () => {
  const [one, two] = [random.bytes(32), random.bytes(32)];
  it('is the same for all its keys, which hold as much chance as others', () => {
    const label = shardOf(one, known.accountId.parse('acc_one'));
    expect(label).toMatch(/^[0-9A-Za-z]{3}$/);
    const keys = Array.from({ length: 50 }, () => mintKey(random, label));
    for (const { key, key_id } of keys)
      expect([parseKey(key), key_id.startsWith(label)]).toEqual([key_id, true]);
    expect(new Set(keys.map(({ key_id }) => key_id)).size).toBe(50);
  });
  it('cannot be told without the server’s secret, and spreads accounts evenly', () => {
    const labels = (secret: Uint8Array): string[] =>
      Array.from({ length: 1_000 }, (_, n) => shardOf(secret, known.accountId.parse(`acc_${n}`)));
    const [mine, others] = [labels(one), labels(two)];
    expect(mine.filter((label, n) => label === others[n]).length).toBeLessThan(5);
    // Of 238,328: about two of a thousand meet.
    expect(new Set(mine).size).toBeGreaterThan(980);
  });
});

describe('session cookies', () => {
  it('cannot be read by scripts or sent from elsewhere, and are secure where the server is hosted', () => {
    expect(createCookies('local').session.set('t', 60_000)).toBe(
      'evs_session=t; Path=/; Max-Age=60; HttpOnly; SameSite=Strict',
    );
    expect(createCookies('hosted').session.set('t', 60_000)).toBe(
      '__Host-evs_session=t; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure',
    );
  });
  it('are read by exact name, and two of them are none', () => {
    const { read } = createCookies('local').session;
    expect(read('a=b; evs_session=abc; c=d')).toBe('abc');
    for (const header of [
      undefined,
      '',
      'xevs_session=a',
      'evs_session',
      'EVS_SESSION=a',
      'evs_session=a; evs_session=b',
    ])
      expect(read(header)).toBeUndefined();
  });
  it('hold 256 bits and are stored as a hash', () => {
    const token = mintToken(random);
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(tokenHash(token)).toMatch(/^[0-9a-f]{64}$/);
    for (const text of ['', `${token}=`, token.slice(1), `${token.slice(1)}!`])
      expect(tokenHash(text)).toBeUndefined();
  });
});
