import { asStream, asUser } from '../../support/ids.ts';
import { describe, expect, it } from 'vitest';
import { type Beyond, beyondOf, isLeftOut } from '../../../src/renderer/state/hosted-sync.ts';
import { syncStatusOf, type WindowWork } from '../../../src/renderer/state/sync-status.ts';
import type { UplinkStatus } from '../../../src/shared/contract/v1/uplink.ts';

const MINUTE = 60_000;
const none: WindowWork = {
  storing: 0,
  waiting: 0,
  oldest: null,
  review: 0,
  blocked: 0,
  quarantined: 0,
  savedAt: null,
  verifiedAt: null,
  connection: 'online',
  problem: null,
};
const shared: Beyond = {
  host: 'lab.example.org',
  at: 1_000,
  waiting: 0,
  oldest: null,
  blocked: 0,
  quarantined: 0,
  verifiedAt: 900,
  offline: false,
  problem: null,
};
const first = (work: Partial<WindowWork>, now?: number, home: 'local' | 'hosted' = 'local') =>
  syncStatusOf({ ...none, ...work }, { home, beyond: null, now });
const both = (work: Partial<WindowWork>, beyond: Partial<Beyond>, now = 1_000) =>
  syncStatusOf({ ...none, ...work }, { home: 'desktop', beyond: { ...shared, ...beyond }, now });

describe('from the window to its server', () => {
  it('says saved only when nothing is on its way, and where', () => {
    expect(first({ savedAt: 1 }, 2)).toMatchObject({
      text: expect.stringMatching(/^Saved on this computer \d\d:\d\d$/),
      tone: 'saved',
    });
    expect(first({ savedAt: 1 }, 2, 'hosted').text).toMatch(/^Saved on the server \d\d:\d\d$/);
    expect(first({ savedAt: 1, waiting: 2, oldest: 1 }, 1_000)).toMatchObject({
      text: 'Saving…',
      tone: 'busy',
    });
    expect(first({ savedAt: 1, blocked: 1 }, 2)).toMatchObject({
      text: '1 change set aside in this window, not sent.',
      tone: 'problem',
    });
    expect(first({}).text).toBe('No changes yet');
  });
  it('counts what waits, and how long', () => {
    expect(first({ connection: 'offline', waiting: 14, oldest: 0 }, 3 * MINUTE)).toMatchObject({
      text: '14 changes pending, oldest 3 min',
      tone: 'waiting',
    });
    expect(first({ waiting: 1, oldest: 0 }, 30_000).text).toBe('1 change pending, oldest 30 s');
    expect(first({ connection: 'offline', waiting: 1, oldest: 0 }, 300 * MINUTE).text).toBe(
      '1 change pending, oldest 5 h',
    );
    expect(
      first({ connection: 'offline', waiting: 1, oldest: 0 }, 72 * 60 * MINUTE).text,
    ).toContain('oldest 3 days');
    expect(first({ connection: 'offline', waiting: 1, oldest: 0 }).text).toMatch(
      /oldest from \d\d:\d\d$/,
    );
    expect(first({ connection: 'offline' }, 0).text).toBe('Offline, all changes saved');
  });
  it('is loud when work waits for more than ten minutes although the server answers, and not where it is away', () => {
    expect(first({ waiting: 1, oldest: 0 }, 11 * MINUTE)).toMatchObject({
      tone: 'problem',
      text: '1 change pending for 11 min, although the server answers.',
    });
    expect(first({ waiting: 1, oldest: 0, connection: 'offline' }, 11 * MINUTE).tone).toBe(
      'waiting',
    );
  });
  it('puts a problem in words before everything else', () => {
    expect(first({ waiting: 2, oldest: 0, problem: 'The disk is full.' }, 1)).toMatchObject({
      text: 'The disk is full. 2 changes not sent.',
      tone: 'problem',
    });
  });
});

describe('from this computer to the hosted server', () => {
  it('keeps the two ways apart', () => {
    expect(both({ savedAt: 500 }, {}).text).toMatch(
      /^Saved on this computer .* · In sync with lab\.example\.org, verified \d\d:\d\d$/,
    );
    expect(both({ savedAt: 500 }, { waiting: 3, oldest: 1_000 - 4 * MINUTE }).text).toMatch(
      /^Saved on this computer .* · 3 changes pending for lab\.example\.org, oldest 4 min$/,
    );
    expect(both({ savedAt: 500 }, { waiting: 3, oldest: 0, offline: true })).toMatchObject({
      tone: 'waiting',
      text: expect.stringContaining(
        '3 changes pending for lab.example.org, oldest 1 s; it cannot be reached',
      ),
    });
    expect(both({ waiting: 1, oldest: 1_000 }, {}).text).toMatch(/^Saving… · /);
  });
  it('does not call in sync what was asked before the last save', () => {
    const found = both({ savedAt: 1_001 }, {});
    expect(found).toMatchObject({
      tone: 'busy',
      text: expect.stringContaining('Not yet known whether lab.example.org has it'),
    });
    expect(found.text).not.toContain('In sync');
  });
  it('says what is set aside, a stopped exchange and a long wait loudly', () => {
    expect(both({}, { blocked: 2 })).toMatchObject({
      tone: 'problem',
      text: expect.stringContaining('2 changes set aside here, not sent to lab.example.org.'),
    });
    expect(both({}, { problem: 'The key was revoked.', waiting: 2 })).toMatchObject({
      tone: 'problem',
      text: expect.stringContaining('lab.example.org: The key was revoked. 2 changes not there.'),
    });
    expect(both({}, { waiting: 1, oldest: 1_000 - 11 * MINUTE })).toMatchObject({
      tone: 'problem',
    });
  });
  it('adds the four numbers of both ways; what is quarantined on both is one thing', () => {
    const { figures } = both(
      { storing: 1, waiting: 2, oldest: 500, review: 3, blocked: 1, quarantined: 2 },
      { waiting: 5, oldest: 100, blocked: 1, quarantined: 2 },
    );
    expect(figures.map(({ id, count }) => [id, count])).toEqual([
      ['storing', 1],
      ['waiting', 7],
      ['review', 3],
      ['blocked', 4],
    ]);
    expect(figures[1]?.note).toBe('oldest 0 s');
    expect(figures.map(({ short }) => short)).toEqual([
      'unsaved',
      'pending',
      'conflicts',
      'set aside',
    ]);
  });
  it('one conflict is named as one', () => {
    expect(first({ review: 1 }).figures[2]).toMatchObject({ short: 'conflict' });
  });
  it('says with whom the work is in sync, and when that was verified', () => {
    expect(both({ verifiedAt: 1 }, {}).verified).toMatch(
      /^In sync, verified at \d\d:\d\d, with lab\.example\.org at \d\d:\d\d$/,
    );
    expect(both({}, {}).verified).toMatch(/^In sync with lab\.example\.org at \d\d:\d\d$/);
    expect(first({ verifiedAt: 1, waiting: 1 }).verified).toBeNull();
  });
});

it('what is read out does not change with ages and counts', () => {
  const at = (now: number, waiting: number) =>
    first({ connection: 'offline', waiting, oldest: 0 }, now).news;
  expect(new Set([at(MINUTE, 1), at(2 * MINUTE, 5), at(50 * MINUTE, 9)]).size).toBe(1);
});

describe('of the hosted server', () => {
  const link = (
    stream: string,
    more: Partial<UplinkStatus['links'][number]> = {},
  ): UplinkStatus['links'][number] => ({
    stream: asStream(stream),
    kind: 'case',
    title: stream,
    state: 'equal',
    problem: null,
    waiting: 0,
    oldest: null,
    pull_seq: 1,
    last_ok: null,
    verified_at: '2026-01-01T00:00:00.000Z',
    quarantined: 0,
    kept: 0,
    runs_waiting: 0,
    runs_lacking: 0,
    ...more,
  });
  const status: UplinkStatus = {
    available: true,
    connection: {
      url: 'https://lab.example.org',
      user: { user_id: asUser('u'), name: 'U', role: 'member' },
      key_kept: 'sealed',
      connected_at: '2026-01-01T00:00:00.000Z',
    },
    state: 'idle',
    problem: null,
    warning: null,
    next_try_at: null,
    last_ok: null,
    totals: {
      waiting: 1,
      oldest: '2026-01-01T00:00:00.000Z',
      quarantined: 0,
      blocked: 0,
      links: 2,
      runs: 0,
      verified_at: null,
    },
    projects: [],
    links: [link('a'), link('b', { waiting: 1, state: 'blocked', verified_at: null })],
    owed_runs: [],
    kept_changes: [],
    unsent: { changes: 1, oldest: '2026-01-01T00:00:00.000Z' },
    previous: null,
    damaged_runs: [],
  };
  it('one stream is told apart from all; what is not shared has no second way', () => {
    expect(beyondOf(status, 5, 'a')).toMatchObject({
      host: 'lab.example.org',
      at: 5,
      waiting: 0,
      verifiedAt: Date.parse('2026-01-01T00:00:00.000Z'),
    });
    expect(beyondOf(status, 5, 'b')).toMatchObject({ waiting: 0, blocked: 1 });
    expect(beyondOf(status, 5, 'c')).toBeNull();
    expect(beyondOf(status, 5)).toMatchObject({ waiting: 1, verifiedAt: null });
    expect(
      beyondOf({ ...status, connection: null, unsent: { changes: 0, oldest: null } }, 5),
    ).toBeNull();
    expect(beyondOf(undefined, 5)).toBeNull();
  });
  it('a stream that the status leaves out is asked for by itself', () => {
    const many = { ...status, totals: { ...status.totals, links: 60 } };
    expect([isLeftOut(many, 'a'), isLeftOut(many, 'c'), isLeftOut(status, 'c')]).toEqual([
      false,
      true,
      false,
    ]);
    expect(beyondOf(many, 5, 'c')).toBeNull();
    expect(beyondOf(many, 5, 'c', link('c', { waiting: 3 }))).toMatchObject({ waiting: 3 });
  });
  it('what is on no server is counted while this studio is not connected, and names where it was', () => {
    const apart = beyondOf(
      { ...status, connection: null, previous: { url: 'https://lab.example.org', name: 'U' } },
      5,
    );
    expect(apart).toMatchObject({ host: 'lab.example.org', waiting: 1, apart: true });
    expect(both({}, { ...apart! }).text).toContain('1 change pending for lab.example.org');
    expect(both({}, { ...apart! }).text).toContain('this studio is not connected');
    expect(beyondOf({ ...status, connection: null }, 5)).toMatchObject({ host: 'a hosted server' });
  });
  it('is not called in sync while a run’s content is on one side alone', () => {
    const lacking = {
      ...status,
      totals: { ...status.totals, waiting: 0, links: 1, runs: 1 },
      links: [link('a', { runs_lacking: 1, state: 'waiting' })],
    };
    for (const beyond of [beyondOf(lacking, 5), beyondOf(lacking, 5, 'a')])
      expect(both({}, { ...beyond!, at: 2_000 })).toMatchObject({
        tone: 'waiting',
        text: expect.stringContaining('content of 1 run is not both here and at lab.example.org'),
      });
  });
});
