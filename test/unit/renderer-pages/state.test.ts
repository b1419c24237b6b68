import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { CallError } from '../../../src/renderer/data/api/client.ts';
import type { Failure as CallFailure } from '../../../src/shared/contract/call.ts';
import {
  curlExample,
  keyState,
  orderKeys,
} from '../../../src/renderer/features/account/key-state.ts';
import {
  formatProfileAddress,
  parseProfileAddress,
} from '../../../src/renderer/features/cases/profile-address.ts';
import { compareVersions } from '../../../src/shared/domain/version.ts';
import type { ProfileListEntry } from '../../../src/renderer/data/api/library.ts';
import { groupVersions } from '../../../src/renderer/features/profiles/versions.ts';
import { cellAt, fitCells } from '../../../src/renderer/features/runs/heatmap-paint.ts';
import { checklistOf, RunForm } from '../../../src/renderer/features/runs/run-plan.ts';
import { describeFailure, endOnce, MissingError } from '../../../src/renderer/state/failure.ts';
import { createQueryCache } from '../../../src/renderer/state/query-cache.ts';
import { sessionOf } from '../renderer-matrix/profile.ts';
import { asProfile } from '../../support/ids.ts';

const refusal = (status: number, code: string): CallFailure => ({
  kind: 'refused',
  status,
  code,
  message: 'Said.',
  details: [{ path: '/name', code: 'custom', message: 'Taken.' }],
  requestId: 'req_1',
  retryAfter: null,
});

describe('a failure in words', () => {
  it.each([
    [new CallError({ kind: 'no_answer', reason: 'network' }), 'offline'],
    [new CallError(refusal(401, 'invalid_key')), 'signed-out'],
    [new CallError(refusal(404, 'not_found')), 'missing'],
    [new CallError(refusal(422, 'validation_failed')), 'refused'],
    [new CallError(refusal(500, 'internal_error')), 'broken'],
    [new CallError({ kind: 'unreadable', status: 200, reason: 'not JSON' }), 'broken'],
    [new MissingError('No such case.'), 'missing'],
    [new Error('Plain.'), 'broken'],
  ])('%s is %s', (error, kind) => {
    expect(describeFailure(error).kind).toBe(kind);
  });
  it('keeps what the server said of each field, and the request to ask about', () => {
    expect(describeFailure(new CallError(refusal(422, 'validation_failed')))).toMatchObject({
      message: 'Said.',
      code: 'validation_failed',
      requestId: 'req_1',
      details: [{ path: '/name', message: 'Taken.' }],
    });
  });
});

describe('what is to end', () => {
  it('has ended where it is not there any more', async () => {
    await endOnce(Promise.resolve());
    await endOnce(Promise.reject(new CallError(refusal(404, 'not_found'))));
  });
  it.each([
    new CallError(refusal(403, 'password_needed')),
    new CallError(refusal(412, 'precondition_failed')),
    new CallError({ kind: 'no_answer', reason: 'network' }),
  ])('has not where the failure is %s', async (error) => {
    await expect(endOnce(Promise.reject(error))).rejects.toBe(error);
  });
});

describe('answers kept in memory', () => {
  const fresh = <T>(data: T) => ({ data, stale: false, at: 1 });

  it('a late answer of an older load is dropped', async () => {
    const cache = createQueryCache();
    const slow = Promise.withResolvers<ReturnType<typeof fresh<string>>>();
    const first = cache.load('a', () => slow.promise);
    await cache.load('a', () => Promise.resolve(fresh('new')));
    slow.resolve(fresh('old'));
    await first;
    expect(cache.read('a')).toMatchObject({ data: 'new', loading: false });
  });

  it('a failed refresh leaves what was there, and says so', async () => {
    const cache = createQueryCache();
    await cache.load('a', () => Promise.resolve(fresh('kept')));
    await cache.load('a', () =>
      Promise.reject(new CallError({ kind: 'no_answer', reason: 'timeout' })),
    );
    expect(cache.read('a')).toMatchObject({
      data: 'kept',
      failure: { kind: 'offline' },
      loading: false,
    });
  });

  it('a copy of this computer is told from an answer of the server', async () => {
    const cache = createQueryCache();
    await cache.load('a', () => Promise.resolve({ data: 'copy', stale: true, at: 77 }));
    expect(cache.read('a').keptAt).toBe(77);
    await cache.load('a', () => Promise.resolve(fresh('new')));
    expect(cache.read('a').keptAt).toBeUndefined();
  });

  it('what is on screen is loaded again when it is out of date, the rest is forgotten', async () => {
    const cache = createQueryCache();
    const shown = vi.fn(() => Promise.resolve(fresh(1)));
    const hidden = vi.fn(() => Promise.resolve(fresh(2)));
    cache.subscribe('cases/1', () => undefined);
    await cache.load('cases/1', shown);
    await cache.load('case/2', hidden);
    await cache.load('runs', () => Promise.resolve(fresh(3)));
    cache.invalidate('case');
    expect([
      shown.mock.calls.length,
      hidden.mock.calls.length,
      cache.read('case/2').data,
      cache.read('runs').data,
    ]).toEqual([2, 1, undefined, 3]);
  });

  it('a refresh ends once what is on screen has been read after it began', async () => {
    const cache = createQueryCache();
    const answers: PromiseWithResolvers<ReturnType<typeof fresh<number>>>[] = [];
    cache.subscribe('a', () => undefined);
    void cache.load('a', () => {
      const next = Promise.withResolvers<ReturnType<typeof fresh<number>>>();
      answers.push(next);
      return next.promise;
    });
    const ended = vi.fn();
    const refresh = cache.refresh('a').then(ended);
    cache.invalidate('a');
    for (const [i, answer] of answers.entries()) {
      await setImmediate();
      expect(ended).not.toHaveBeenCalled();
      answer.resolve(fresh(i));
    }
    await refresh;
    expect(cache.read('a').data).toBe(2);
  });

  it('a refresh ends also where what it waits for is written, or cannot be read', async () => {
    const cache = createQueryCache();
    cache.subscribe('a', () => undefined);
    await cache.load('a', () => Promise.reject(new Error('no answer')));
    await cache.refresh('a');
    const refresh = cache.refresh('a');
    cache.write('a', 3);
    await refresh;
    expect(cache.read('a').data).toBe(3);
  });

  it('a listener may leave while it hears', async () => {
    const cache = createQueryCache();
    const other = vi.fn();
    const leave = cache.subscribe('a', () => leave());
    cache.subscribe('a', other);
    await cache.load('a', () => Promise.resolve(fresh(1)));
    expect(other).toHaveBeenCalled();
  });
});

describe('addresses, versions and keys', () => {
  it('a profile in the address', () => {
    expect(parseProfileAddress('trio_rare_disease@1.0')).toEqual({
      uid: 'trio_rare_disease',
      version: '1.0',
    });
    expect(formatProfileAddress({ uid: asProfile('abc'), version: '1.2.3' })).toBe('abc@1.2.3');
    for (const text of [
      null,
      '',
      'abc',
      'abc@',
      '@1.0',
      'abc@1',
      'abc@1.0@2.0',
      '../x@1.0',
      'Abc@1.0',
    ])
      expect(parseProfileAddress(text)).toBeUndefined();
  });
  it('1.10 is newer than 1.9, and 1.0.1 than 1.0', () => {
    expect(['1.10', '1.0', '1.9', '1.0.1', '1.0.0'].sort(compareVersions)).toEqual([
      '1.0',
      '1.0.0',
      '1.0.1',
      '1.9',
      '1.10',
    ]);
    expect(compareVersions('1.9007199254740993', '1.9007199254740992')).toBe(1);
    const entry = (profileUid: string, version: string) =>
      ({ profileUid, version, name: profileUid }) as ProfileListEntry;
    expect(
      groupVersions([entry('b', '1.9'), entry('a', '1.0'), entry('b', '1.10')]).map(
        ({ newest, versions }) => [newest.profileUid, newest.version, versions.length],
      ),
    ).toEqual([
      ['a', '1.0', 1],
      ['b', '1.10', 2],
    ]);
  });
  it('a key is active until its expiry is reached', () => {
    const key = {
      created_at: '2026-01-01T00:00:00.000Z',
      revoked_at: null,
      paused_at: null,
      expires_at: '2026-06-01T00:00:00.000Z',
    };
    const at = Date.parse(key.expires_at);
    expect([
      keyState(key, at - 1),
      keyState(key, at),
      keyState({ ...key, revoked_at: key.created_at }, 0),
      keyState({ ...key, paused_at: key.created_at }, 0),
    ]).toEqual(['active', 'expired', 'revoked', 'paused']);
    expect(
      orderKeys(
        [
          { ...key, n: 1 },
          { ...key, expires_at: null, n: 2 },
        ],
        at,
      ).map((entry) => entry.n),
    ).toEqual([2, 1]);
  });
  it('the example can be pasted into a shell', () => {
    expect(curlExample('http://127.0.0.1:4000', 'evs_a_b')).toBe(
      'curl -s "http://127.0.0.1:4000/api/v1/projects" \\\n  -H "Authorization: Bearer evs_a_b"',
    );
  });
});

describe('the settings of a run', () => {
  const form = {
    prior_alpha: '1',
    prior_beta: ' 0.5 ',
    ci_level: '.95',
    round: '',
    contested: false,
    accept: false,
    reason: '',
  };
  const faults = (values: object) =>
    RunForm.safeParse({ ...form, ...values }).error?.issues.map((issue) => issue.path[0]) ?? [];

  it('are read from texts', () => {
    expect(RunForm.parse(form)).toEqual({
      settings: { prior_alpha: 1, prior_beta: 0.5, ci_level: 0.95 },
    });
    expect(RunForm.parse({ ...form, round: 'rnd_a' })).toMatchObject({ round_id: 'rnd_a' });
  });
  it.each(['', '0', '0.24', '10.1', '1e1', '1,5', 'NaN', '-1'])(
    'the prior %j is refused',
    (prior_alpha) => {
      expect(faults({ prior_alpha })).toEqual(['prior_alpha']);
    },
  );
  it.each(['0.49', '1', '95'])('the level %j is refused', (ci_level) => {
    expect(faults({ ci_level })).toEqual(['ci_level']);
  });
  it('contested cells need a decision and a reason', () => {
    expect(faults({ contested: true })).toEqual(['accept']);
    expect(faults({ contested: true, accept: true, reason: '  ' })).toEqual(['reason']);
    expect(
      RunForm.parse({ ...form, contested: true, accept: true, reason: ' Away. ' }),
    ).toMatchObject({ accept_contested: true, reason: 'Away.' });
  });
});

describe('the checklist before a run', () => {
  it('counts what is unrecorded, problems without notes, and lists contested cells in the order of the matrix', () => {
    const session = sessionOf(3, 2, [
      { item: 'i3', rule: 'r1', raw_outcome: 'FALSE', contested: true },
      { item: 'i1', rule: 'r1', raw_outcome: 'TRUE', notes: 'Seen twice.' },
      { item: 'i1', rule: 'r2', raw_outcome: 'TRUE', notes: ' ', contested: true },
      { item: 'i2', rule: 'r1', raw_outcome: 'TRUE' },
      { item: 'i2', rule: 'r2', raw_outcome: null, notes: 'Not yet.' },
    ]);
    expect(checklistOf(session)).toMatchObject({
      items: 3,
      rules: 2,
      recorded: 4,
      problems: 3,
      bareProblems: 2,
      unrecorded: 2,
      contested: [
        { item: 'i1', rule: 'r2' },
        { item: 'i3', rule: 'r1' },
      ],
    });
  });
});

describe('the heatmap', () => {
  it('fits its frame, keeps the least size of a cell, and never grows out of proportion', () => {
    expect(fitCells(50, 10_000, 1_000, 460, 4)).toMatchObject({ cellWidth: 20, cellHeight: 4 });
    expect(fitCells(500, 10_000, 1_000, 460, 1)).toMatchObject({ cellWidth: 2, cellHeight: 1 });
    expect(fitCells(5, 12, 1_000, 460, 4)).toMatchObject({ cellWidth: 34, cellHeight: 18 });
  });
  it('finds the cell under the pointer', () => {
    const shape = fitCells(5, 12, 1_000, 460, 4);
    expect([
      cellAt(shape, 0, 0),
      cellAt(shape, 35, 40),
      cellAt(shape, 171, 0),
      cellAt(shape, -1, 0),
    ]).toEqual([{ row: 0, column: 0 }, { row: 2, column: 1 }, undefined, undefined]);
  });
});
