import { asStream, asUser } from '../support/ids.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../src/shared/lib/canonical-json.ts';
import {
  type Change,
  DamagedChangeError,
  entryName,
  MAX_CHANGE_BYTES,
  parseEntryName,
  seal,
  unseal,
} from '../../src/sync/change.ts';
import { testHasher } from '../support/hasher.ts';

const change: Change = {
  v: 1,
  case: asStream('c1'),
  hlc: '019b76daa800-0000',
  wall: '2026-01-01T00:00:00.000Z',
  by: { user: asUser('u'), kind: 'human', agent: null, key: null },
  at: { replica: 'r', app: '1', schema: 1 },
  txn: 't',
  why: null,
  nonce: '0'.repeat(32),
  entries: [{ op: 'set', parents: [], reg: 'item/label/i', value: 'x' }],
};
const damage = (id: string, text: string): string => {
  try {
    unseal(id, text, testHasher);
  } catch (error) {
    if (error instanceof DamagedChangeError) return error.code;
    throw error;
  }
  return 'none';
};
const idOf = (text: string): string => `c1_${testHasher.sha256Base64url(text)}`;

describe('changes', () => {
  test('C1 I17 seal and unseal are inverse, for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const sealed = seal(
          { ...change, entries: [{ op: 'set', parents: [], reg: 'future/x', value }] },
          testHasher,
        );
        expect(canonicalJson(JSON.parse(sealed.text))).toBe(sealed.text);
        expect(unseal(sealed.id, sealed.text, testHasher).id).toBe(sealed.id);
      }),
      { numRuns: 50 },
    );
  });

  test('C2 I10 any flipped character is found', () => {
    const { id, text } = seal(change, testHasher);
    fc.assert(
      fc.property(fc.nat(text.length - 1), (at) => {
        const flipped = text[at] === 'x' ? 'y' : 'x';
        expect(damage(id, text.slice(0, at) + flipped + text.slice(at + 1))).toBe('hash_mismatch');
      }),
    );
  });

  test('C2 kinds of damage differ', () => {
    const { id, text } = seal(change, testHasher);
    expect(damage(id, text)).toBe('none');
    expect(damage(id, `${text} `)).toBe('hash_mismatch');
    expect(damage(idOf(`${text} `), `${text} `)).toBe('not_canonical');
    expect(damage(idOf('{'), '{')).toBe('malformed');
    for (const broken of [
      { ...change, v: 2 },
      { ...change, nonce: 'x' },
      { ...change, entries: [] },
      { ...change, hlc: '1' },
    ]) {
      const broke = canonicalJson(broken);
      expect(damage(idOf(broke), broke)).toBe('malformed');
    }
  });

  test('C3 the size limit counts bytes, not characters', () => {
    const long = canonicalJson({
      ...change,
      entries: [
        { op: 'set', parents: [], reg: 'future/x', value: '\u20ac'.repeat(MAX_CHANGE_BYTES / 2) },
      ],
    });
    expect(long.length).toBeLessThan(MAX_CHANGE_BYTES);
    expect(damage(idOf(long), long)).toBe('too_large');
  });

  test('C1 unknown members are kept under the hash', () => {
    const { id, text } = seal({ ...change, extra: { later: true } } as Change, testHasher);
    expect(unseal(id, text, testHasher).change).toHaveProperty('extra', { later: true });
  });

  test('names of entries', () => {
    const { id } = seal(change, testHasher);
    expect(parseEntryName(entryName(id, 1_999))).toEqual({ id, index: 1_999 });
    for (const bad of [id, `${id}#`, `${id}#01`, `${id}#-1`, `${id}#1.5`, 'x#1', `${id}#99999`])
      expect(parseEntryName(bad)).toBeUndefined();
  });
});
