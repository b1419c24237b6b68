import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { watchOtherInstances } from '../../../src/server/http/other-instances.ts';
import { openStore } from '../../../src/server/storage/open.ts';
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

describe('commits of another instance', () => {
  it('are told of accounts that somebody listens to, each log once, and what was committed here is not', async () => {
    const { account_id, user_id, user_name } = here.local;
    const actor: Actor = {
      account_id,
      user_id,
      user_name,
      kind: 'human',
      key_id: null,
      key_name: null,
    };
    const made = await there.transact(
      (writer) => writer.projectWrites.upsert(actor, { name: 'P' }, undefined),
      account_id,
    );
    const newCase = (store: Store, case_uid: string): Promise<unknown> =>
      store.transact(
        (writer) =>
          writer.caseWrites.upsert(
            actor,
            { project_id: made.record.project_id, case_uid: asCase(case_uid) },
            undefined,
          ),
        account_id,
      );
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
      await watching.watch(account_id);
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
});
