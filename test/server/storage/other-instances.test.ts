import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { watchOtherInstances } from '../../../src/server/http/other-instances.ts';
import { openStore } from '../../../src/server/storage/open.ts';
import { EVERY_ACCOUNT } from '../../../src/server/storage/db/session.ts';
import type { Actor } from '../../../src/server/storage/db/actor.ts';
import { testPorts } from '../../contract/world.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../../support/plain-database.ts';
import type { Store } from '../../../src/server/storage/store.ts';
import { asCase } from '../../support/ids.ts';

let database: PlainDatabase;
let here: Store;
let there: Store;
beforeAll(async () => {
  database = await makePlainDatabase(SHARED_POSTGRES);
  [here, there] = [await open(), await open()];
}, 60_000);
afterAll(async () => {
  await Promise.all([here.close(), there.close()]);
  await database.drop();
});
const open = (): Promise<Store> =>
  openStore({ kind: 'postgres', url: database.url, connections: 2 }, testPorts());

const actorOf = ({ local: { account_id, user_id, user_name } }: Store): Actor => ({
  account_id,
  user_id,
  user_name,
  kind: 'human',
  key_id: null,
  key_name: null,
});

/** Makes cases in a new project, at either instance. */
async function newProject(name: string) {
  const actor = actorOf(here);
  const made = await there.transact(
    (writer) => writer.projectWrites.upsert(actor, { name }, undefined),
    actor.account_id,
  );
  return (store: Store, case_uid: string): Promise<unknown> =>
    store.transact(
      (writer) =>
        writer.caseWrites.upsert(
          actor,
          { project_id: made.record.project_id, case_uid: asCase(case_uid) },
          undefined,
        ),
      actor.account_id,
    );
}

describe('commits of another instance', () => {
  it('are told of accounts that somebody listens to, each log once, and what was committed here is not', async () => {
    const { account_id } = here.local;
    const newCase = await newProject('P');
    const told: string[] = [];
    const heard = new EventTarget();
    const watching = watchOtherInstances(
      here,
      (account) => account === account_id,
      ({ case_uid, seq }) => {
        told.push(`${case_uid} ${seq}`);
        heard.dispatchEvent(new Event('commit'));
      },
    );
    try {
      await watching.watch(account_id, false);
      await newCase(here, 'mine');
      const first = once(heard, 'commit');
      await newCase(there, 'theirs');
      await first;
      const second = once(heard, 'commit');
      await newCase(there, 'theirs too');
      await second;
      expect(told).toEqual(['theirs 1', 'theirs too 1']);
    } finally {
      watching.close();
    }
  });

  it('are asked for seldom while all of an account comes here, and every second once it has changed elsewhere', async () => {
    const { account_id } = here.local;
    const newCase = await newProject('Q');
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    let asked = 0;
    let latest: Promise<unknown> = Promise.resolve();
    const counting: Store = {
      ...here,
      read: (work, account, principal) => {
        if (account === EVERY_ACCOUNT) asked += 1;
        const answer = here.read(work, account, principal);
        latest = answer;
        return answer;
      },
    };
    const told: string[] = [];
    const watching = watchOtherInstances(
      counting,
      () => true,
      ({ case_uid, seq }) => told.push(`${case_uid} ${seq}`),
    );
    /** Lets rounds pass, each answered before the next begins; answers how often it asked. */
    const rounds = async (count: number): Promise<number> => {
      const before = asked;
      for (let n = 0; n < count; n += 1) {
        vi.advanceTimersByTime(1_000);
        for (let last; last !== latest; await new Promise(setImmediate)) await (last = latest);
      }
      return asked - before;
    };
    try {
      await watching.watch(account_id, true);
      expect(await rounds(30)).toBe(2);
      await newCase(here, 'known');
      expect(await rounds(30)).toBe(2);
      await newCase(there, 'found late');
      await rounds(15);
      await vi.waitUntil(() => told.length > 0, 60_000);
      expect(told).toEqual(['found late 1']);
      expect(await rounds(10)).toBe(10);
      await rounds(60);
      expect(await rounds(30)).toBe(2);
      // A commit here shows that there was one elsewhere.
      await newCase(there, 'found soon');
      await newCase(here, 'showing it');
      await rounds(2);
      await vi.waitUntil(() => told.length > 1, 60_000);
      expect(told).toEqual(['found late 1', 'found soon 1']);
    } finally {
      watching.close();
      vi.useRealTimers();
    }
  });
});
