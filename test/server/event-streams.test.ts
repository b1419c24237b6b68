import { known } from '../../src/shared/contract/ids.ts';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Authenticator } from '../../src/server/auth/authenticate.ts';
import { EVERYWHERE } from '../../src/server/auth/shard.ts';
import type { Principal } from '../../src/server/context/principal.ts';
import { createEvents } from '../../src/server/http/events.ts';
import type { Store } from '../../src/server/storage/store.ts';
import type { RequestContext } from '../../src/server/context/request.ts';
import { asKey, asUser, asStream } from '../support/ids.ts';

/** The part of a response that a stream uses. */
class FakeResponse extends EventEmitter {
  text = '';
  ended = false;
  destroyed = false;
  writableLength = 0;
  writeHead(): void {}
  write(text: string): void {
    this.text += text;
  }
  end(): void {
    this.ended = true;
  }
  destroy(): void {
    this.destroyed = true;
  }
}

const idOf = (account: string) => known.accountId.parse(account);
const principalOf = (account_id: string): Principal => ({
  actor: {
    account_id: idOf(account_id),
    user_id: asUser('u'),
    user_name: 'U',
    kind: 'agent',
    key_id: asKey(`key of ${account_id}`),
    key_name: 'k',
  },
  authMethod: 'key',
  scopes: ['read'],
  projects: null,
  role: 'member',
  session: null,
});
const token = { from: '', to: '' };
let commit: Parameters<Store['onCommit']>[0];
let valid: boolean;
const deps = {
  clock: { now: () => Date.now() },
  store: {
    onCommit: (listener: typeof commit) => ((commit = listener), () => (commit = () => {})),
  } as unknown as Store,
};
let lookups: number;
const authenticator: Pick<Authenticator, 'stillAuthorized'> = {
  stillAuthorized(principals) {
    lookups += 1;
    return Promise.resolve(new Set(valid ? principals : []));
  },
};

beforeEach(() => {
  valid = true;
  lookups = 0;
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

async function open(
  events: ReturnType<typeof createEvents>,
  account: string,
  key_id = `key of ${account}`,
): Promise<FakeResponse> {
  const response = new FakeResponse();
  const context = {
    res: response as unknown as ServerResponse,
    req: { method: 'GET' },
    search: '',
  } as unknown as RequestContext;
  expect(
    await events.operation.perform(context, [], {
      ...principalOf(account),
      actor: { ...principalOf(account).actor, key_id: asKey(key_id) },
    }),
  ).toBeUndefined();
  return response;
}

describe('event streams', () => {
  it('tell an account of its own commits only', async () => {
    const events = createEvents(deps, authenticator, EVERYWHERE, {
      all: 64,
      account: 20,
      person: 64,
      gatherMs: 0,
    });
    const [mine, other] = [await open(events, 'a'), await open(events, 'b')];
    commit({ account_id: idOf('a'), case_uid: asStream('c'), seq: 7, token });
    await vi.advanceTimersByTimeAsync(0);
    expect(mine.text).toBe('retry: 2000\n\ndata: {"case":"c","seq":7}\n\n');
    expect(other.text).toBe('retry: 2000\n\n');
    events.close();
    expect([mine.ended, other.ended]).toEqual([true, true]);
  });

  it('beat every 25 seconds, and end when the key is revoked', async () => {
    const events = createEvents(deps, authenticator, EVERYWHERE, {
      all: 64,
      account: 20,
      person: 64,
      gatherMs: 0,
    });
    const stream = await open(events, 'a');
    await vi.advanceTimersByTimeAsync(25_000);
    expect(stream.text).toContain(':\n\n');
    expect(stream.ended).toBe(false);
    valid = false;
    await vi.advanceTimersByTimeAsync(25_000);
    expect(stream.ended).toBe(true);
    events.close();
  });

  it('tell a key that was revoked nothing more', async () => {
    const events = createEvents(deps, authenticator, EVERYWHERE, {
      all: 64,
      account: 20,
      person: 64,
      gatherMs: 0,
    });
    const stream = await open(events, 'a');
    valid = false;
    commit({ account_id: idOf('a'), case_uid: asStream('c'), seq: 7, token });
    await vi.advanceTimersByTimeAsync(0);
    expect([stream.text, stream.ended]).toEqual(['retry: 2000\n\n', true]);
    events.close();
  });

  it('tell many at once, each once in a while, with one look-up; only those whose account has news', async () => {
    const events = createEvents(deps, authenticator, EVERYWHERE, {
      all: 64,
      account: 20,
      person: 64,
      gatherMs: 1_000,
    });
    const team = await Promise.all(
      Array.from({ length: 12 }, (_, n) => open(events, `account ${n % 3}`, `key ${n}`)),
    );
    for (let seq = 1; seq <= 10; seq += 1)
      for (const account of [0, 1])
        commit({ account_id: idOf(`account ${account}`), case_uid: asStream('c'), seq, token });
    await vi.advanceTimersByTimeAsync(100);
    expect(lookups).toBe(1);
    expect(team.map(({ text }) => text.includes('"seq":10'))).toEqual(
      team.map((_, n) => n % 3 < 2),
    );
    for (let seq = 11; seq <= 20; seq += 1) {
      commit({ account_id: idOf('account 0'), case_uid: asStream('c'), seq, token });
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(lookups).toBe(1);
    await vi.advanceTimersByTimeAsync(1_000);
    // One of them is that of every second, for all.
    expect(lookups).toBe(3);
    expect(team[0]!.text.split('data: ')).toHaveLength(3);
    expect(team[0]!.text).toContain('"seq":20');
    events.close();
  });

  it('end within a second of their credentials, though nothing is told; not where it cannot be known', async () => {
    const events = createEvents(deps, authenticator, EVERYWHERE, {
      all: 64,
      account: 20,
      person: 64,
      gatherMs: 0,
    });
    const streams = await Promise.all(['a', 'b'].map((account) => open(events, account)));
    const { stillAuthorized } = authenticator;
    authenticator.stillAuthorized = () => Promise.reject(new Error('no answer'));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(streams.map(({ ended }) => ended)).toEqual([false, false]);
    authenticator.stillAuthorized = stillAuthorized;
    valid = false;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(streams.map(({ ended }) => ended)).toEqual([true, true]);
    expect(events.count()).toBe(0);
    events.close();
  });

  it('are cut off where nobody reads', async () => {
    const events = createEvents(deps, authenticator, EVERYWHERE, {
      all: 64,
      account: 20,
      person: 64,
      gatherMs: 0,
    });
    const stream = await open(events, 'a');
    stream.writableLength = 100_000;
    commit({ account_id: idOf('a'), case_uid: asStream('c'), seq: 1, token });
    await vi.advanceTimersByTimeAsync(0);
    expect(stream.destroyed).toBe(true);
    events.close();
  });

  it('are at most sixteen of one key, and so many of one account', async () => {
    const events = createEvents(deps, authenticator, EVERYWHERE, {
      all: 64,
      account: 20,
      person: 64,
      gatherMs: 0,
    });
    for (let i = 0; i < 16; i += 1) await open(events, 'a');
    await expect(open(events, 'a')).rejects.toMatchObject({ code: 'rate_limited' });
    for (let i = 0; i < 4; i += 1) await open(events, 'a', `key ${i}`);
    await expect(open(events, 'a', 'key 4')).rejects.toMatchObject({ code: 'rate_limited' });
    await open(events, 'b');
    events.close();
    await expect(open(events, 'c')).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('are at most sixty-four', async () => {
    const events = createEvents(deps, authenticator, EVERYWHERE, {
      all: 64,
      account: 20,
      person: 64,
      gatherMs: 0,
    });
    for (let i = 0; i < 64; i += 1) await open(events, `account ${i}`);
    await expect(open(events, 'one more')).rejects.toMatchObject({ code: 'unavailable' });
    events.close();
  });
});
