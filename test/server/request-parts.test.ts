import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ApiError } from '../../src/server/context/errors.ts';
import { parseWith } from '../../src/server/http/issues.ts';
import { API } from '../../src/shared/contract/api.ts';
import { createMatcher, decodeParams } from '../../src/server/http/match.ts';
import {
  isFresh,
  parseIdempotencyKey,
  parsePrecondition,
  parseWitness,
} from '../../src/server/http/preconditions.ts';
import { parseQuery } from '../../src/server/http/query.ts';
import { createTokenBuckets } from '../../src/server/http/token-bucket.ts';
import { describeError, redact } from '../../src/server/instance/logger.ts';
import { recordEvidenceBatch } from '../../src/shared/contract/v1/evidence.ts';

const withHeaders = (headers: Record<string, string>): IncomingMessage =>
  ({ headers }) as unknown as IncomingMessage;
function refusal(work: () => unknown): ApiError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

describe('the query', () => {
  const schema = z.strictObject({ limit: z.string().optional(), cursor: z.string().optional() });
  it.each([
    ['', {}],
    ['limit=5', { limit: '5' }],
    ['limit=5&cursor=a%3Db+c', { limit: '5', cursor: 'a=b c' }],
    ['cursor=', { cursor: '' }],
  ])('reads %j', (search, expected) => expect(parseQuery(search, schema)).toEqual(expected));
  it.each(
    [
      'limit=1&limit=1',
      'limit=1&lim%69t=2',
      'limits=1',
      '__proto__=1',
      'constructor=1',
      'limit[]=1',
      '=1',
      '&',
      'limit=%E0%A4%A',
      'limit=%C0%AE',
      'limit',
      'limit=1&',
      '%00=1',
    ].filter((search) => search !== 'limit'),
  )('refuses %j', (search) =>
    expect(refusal(() => parseQuery(search, schema))?.code).toBe('invalid_query'),
  );
});

describe('paths', () => {
  const match = createMatcher([
    { method: 'GET', path: '/api/v1/cases' },
    { method: 'POST', path: '/api/v1/cases' },
    { method: 'GET', path: '/api/v1/cases/{caseUid}/evidence' },
  ]);
  it('finds an operation by its exact path and keeps parameters as sent', () => {
    expect([...match('/api/v1/cases')!.methods.keys()]).toEqual(['GET', 'POST']);
    expect(match('/api/v1/cases/a%2Fb/evidence')!.raw).toEqual([['caseUid', 'a%2Fb']]);
    expect(decodeParams([['caseUid', 'a%2Fb']])).toEqual({ caseUid: 'a/b' });
  });
  it.each([
    '/api/v1/Cases',
    '/api/v1/cases/',
    '//api/v1/cases',
    '/api/v1/cases//evidence',
    '/api/v1/cases/a/evidence/',
    '/api/v1/cases/a/b/evidence',
    '/api/v1/cases/../cases',
    '/API/v1/cases',
  ])('does not find %s', (path) => expect(match(path)).toBeUndefined());
  it('finds each operation of the API by its own path, in whatever order they come', () => {
    const operations = API.map(({ method, path }) => ({ method, path }));
    for (const given of [
      operations,
      operations.toReversed(),
      operations.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    ]) {
      const find = createMatcher(given);
      for (const { path } of given)
        expect(find(path.replaceAll(/\{\w+\}/g, 'some'))?.template).toBe(path);
    }
  });
  it('refuses what does not decode', () =>
    expect(refusal(() => decodeParams([['caseUid', '%E0%A4%A']]))?.code).toBe('invalid_path'));
});

describe('conditions', () => {
  it.each<[Record<string, string>, unknown]>([
    [{}, undefined],
    [{ 'if-match': '"v3"' }, { versions: [3], tags: ['v3'] }],
    [{ 'if-match': '"v3", "v12"' }, { versions: [3, 12], tags: ['v3', 'v12'] }],
    [{ 'if-match': 'W/"v3"' }, { versions: [], tags: [] }],
    [
      { 'if-match': '"v0", "x", "v-1", "v9999999999999999"' },
      { versions: [], tags: ['v0', 'x', 'v-1', 'v9999999999999999'] },
    ],
    [{ 'if-none-match': '*' }, 'absent'],
  ])('of a write: %j', (headers, expected) =>
    expect(parsePrecondition(withHeaders(headers))).toEqual(expected),
  );
  it.each<Record<string, string>>([
    { 'if-match': 'v3' },
    { 'if-match': '*' },
    { 'if-match': '' },
    { 'if-match': '"v3' },
    { 'if-none-match': '"v3"' },
    { 'if-match': '"v1"', 'if-none-match': '*' },
  ])('that no write takes: %j', (headers) =>
    expect(refusal(() => parsePrecondition(withHeaders(headers)))?.code).toBe('invalid_request'),
  );
  it('of a read compare weakly', () => {
    expect(isFresh('"a", W/"b"', '"b"')).toBe(true);
    expect(isFresh('*', '"b"')).toBe(true);
    expect(isFresh('"a"', '"b"')).toBe(false);
    expect(isFresh(undefined, '"b"')).toBe(false);
  });
  it.each(['', 'a b', 'é', 'x'.repeat(256), '\t'])(
    'idempotency keys are 1 to 255 visible characters, not %j',
    (key) =>
      expect(
        refusal(() => parseIdempotencyKey(withHeaders({ 'idempotency-key': key })))?.code,
      ).toBe('invalid_request'),
  );
  it('reads a witness strictly', () => {
    expect(parseWitness(withHeaders({ 'sync-witness': 'ep_1;12;c0ffee' }))).toEqual({
      epoch: 'ep_1',
      seq: 12,
      chain: 'c0ffee',
    });
    for (const header of [
      '',
      ';;',
      'a;b;c',
      'a;01;c',
      'a;1',
      'a;1;c;d',
      'a;-1;c',
      'a; 1;c',
      `a;${'9'.repeat(20)};c`,
    ])
      expect(refusal(() => parseWitness(withHeaders({ 'sync-witness': header })))?.code).toBe(
        'invalid_request',
      );
  });
});

describe('refused input', () => {
  const parse = (value: unknown) =>
    refusal(() => parseWith(recordEvidenceBatch.body!, value, 'validation_failed'))!;
  const batch = (evidence: unknown[], items = 1) => ({
    case_uid: 'c',
    profile_uid: 'abc',
    items: Array.from({ length: items }, () => ({ item_uid: 'a', evidence })),
  });

  it('is named by place, with a sentence that does not repeat it', () => {
    const secret = 'CANARY 7f3a';
    const { details } = parse({
      ...batch([{ rule_uid: secret, raw_outcome: true }]),
      [secret]: secret,
      extra: 1,
    });
    expect(JSON.stringify(details)).not.toContain('CANARY');
    expect(details.map(({ path, code }) => [path, code])).toEqual([
      ['/items/0/evidence/0/rule_uid', 'invalid_format'],
      ['/items/0/evidence/0/raw_outcome', 'invalid_value'],
      ['', 'unknown_field'],
      ['/extra', 'unknown_field'],
    ]);
    expect(details[1]!.message).toContain('JSON boolean');
  });
  it('lists every bad entry', () => {
    expect(
      parse(batch(Array.from({ length: 20 }, () => ({ rule_uid: 'abc', raw_outcome: 'true' }))))
        .details,
    ).toHaveLength(20);
    expect(
      parse(batch(Array.from({ length: 300 }, () => ({ rule_uid: 'abc', raw_outcome: 'true' }))))
        .details,
    ).toHaveLength(300);
  });
  it('names no more than a thousand of hundreds of thousands of bad cells', () => {
    for (const cell of [
      {},
      { x: 1, rule_uid: 1, raw_outcome: 1, source_value: 1, notes: 1, provenance: 1 },
      { rule_uid: 'abc', notes: '\u0001' },
    ]) {
      const bad = batch(
        Array.from({ length: 500 }, () => cell),
        1_000,
      );
      expect(parse(bad).details).toHaveLength(1_000);
    }
    expect(
      parse(
        batch(
          Array.from({ length: 500 }, () => ({ rule_uid: 'abc' })),
          1_000,
        ),
      ).details[0]!.message,
    ).toContain('20000 entries');
  });
});

describe('allowances', () => {
  it('refill with time and forget the longest unused', () => {
    const buckets = createTokenBuckets({ burst: 2, perSecond: 1, subjects: 2 });
    buckets.take('a', 0);
    buckets.take('a', 0);
    expect(buckets.wait('a', 0)).toBe(1);
    expect(buckets.wait('a', 1_000)).toBe(0);
    expect(buckets.wait('a', -5_000)).toBe(1);
    buckets.take('b', 0);
    buckets.take('c', 0);
    expect(buckets.wait('a', 0)).toBe(0);
  });
});

describe('the log', () => {
  it('loses every key and token on its way', () => {
    expect(redact('{"a":"evs_0123456789_abcdefghij","b":"/sign-in?token=AbC-_9&x=1"}')).toBe(
      '{"a":"evs_***","b":"/sign-in?token=***&x=1"}',
    );
  });
  it('holds the kind and place of an error, not its words', () => {
    const described = describeError(new SyntaxError('Unexpected token in "CANARY"'));
    expect(described.name).toBe('SyntaxError');
    expect(described.stack[0]).toContain('request-parts.test');
    expect(JSON.stringify(described)).not.toContain('CANARY');
  });
});
