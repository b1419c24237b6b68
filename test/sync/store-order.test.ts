import { ofOwnAccount } from '../support/own-account.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore } from '../../src/server/storage/open.ts';
import type { Actor } from '../../src/server/storage/db/actor.ts';
import { type Entry, entryName, type SealedChange } from '../../src/sync/change.ts';
import {
  cellReg,
  FIRST_PAGE,
  foreignChange,
  RULES,
  SHIPPED,
  testPorts,
  wire,
} from '../contract/world.ts';
import type { Store } from '../../src/server/storage/store.ts';
import { asCase, asStream } from '../support/ids.ts';
import { putMigrated } from '../support/migrated-file.ts';

let store: Store;
let actor: Actor;
let number = 0;
const folder = mkdtempSync(path.join(tmpdir(), 'evidence-order-'));

beforeAll(async () => {
  store = ofOwnAccount(
    await openStore(
      { kind: 'sqlite', file: path.join(folder, 'evidence.sqlite'), shippedProfiles: [SHIPPED] },
      testPorts(),
    ),
  );
  const { local } = store;
  actor = {
    account_id: local.account_id,
    user_id: local.user_id,
    user_name: local.user_name,
    kind: 'human',
    key_id: null,
    key_name: null,
  };
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const REGISTERS = [
  cellReg('i', 'rule_a'),
  cellReg('i', 'rule_a', 'n'),
  cellReg('j', 'rule_c'),
  'item/label/i',
  'item/x/j',
  'item/position/i',
];
const VALUES: Record<string, (n: number) => unknown> = {
  a: (n) => ({
    raw_outcome: ['TRUE', 'FALSE', 'NA', null][n % 4] ?? null,
    ...(n % 3 === 0 ? { source_value: `s${n % 2}` } : {}),
  }),
  n: (n) => (n % 4 === 0 ? null : `note ${n % 3}`),
  label: (n) => `label ${n % 3}`,
  x: (n) => ({ deleted: n % 2 === 0 }),
  position: (n) => n % 5,
};

interface Step {
  entries: {
    register: number;
    value: number;
    parents: number[];
    resolve: boolean;
    broken: boolean;
  }[];
  hlc: number;
}
const step: fc.Arbitrary<Step> = fc.record({
  entries: fc.array(
    fc.record({
      register: fc.nat(REGISTERS.length - 1),
      value: fc.nat(20),
      parents: fc.array(fc.nat(), { maxLength: 2 }),
      resolve: fc.boolean(),
      broken: fc.nat(9).map((n) => n === 0),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  hlc: fc.nat(5),
});

/** Changes whose entries name any earlier entries, of their register or not. */
function build(caseUid: string, steps: readonly Step[]): SealedChange[] {
  const names: string[] = [];
  return steps.map(({ entries, hlc }) => {
    const written = entries.map(({ register, value, parents, resolve, broken }): Entry => {
      const reg = REGISTERS[register] as string;
      const kind = reg.split('/')[reg.startsWith('item') ? 1 : 0] as string;
      const cited =
        names.length === 0
          ? []
          : [...new Set(parents.map((parent) => names[parent % names.length] as string))];
      const isResolve = resolve && cited.length > 0;
      return {
        op: isResolve ? 'resolve' : 'set',
        parents: isResolve ? cited : cited.slice(0, 1),
        reg,
        value: broken ? { nonsense: 1 } : (VALUES[kind] as (n: number) => unknown)(value),
      };
    });
    const change = foreignChange(caseUid, written, { hlc: `00000000000${hlc}-0000`, why: 'why' });
    written.forEach((_, index) => names.push(entryName(change.id, index)));
    return change;
  });
}

/** Everything that depends on the set of changes alone, not on their numbers. */
async function state(caseUid: string): Promise<unknown> {
  const query = {
    case_uid: asCase(caseUid),
    profile_uid: SHIPPED.profileUid,
    profile_version: undefined,
  };
  return store.read(async (r) => {
    const page = (await r.evidence.page(actor.account_id, query, FIRST_PAGE)).value();
    const items = page.items.map(({ item_uid, label, position, evidence }) => [
      item_uid,
      label,
      position,
      evidence.map((cell) => [
        cell.rule_uid,
        cell.raw_outcome,
        cell.source_value,
        cell.notes,
        cell.contested,
      ]),
    ]);
    const heads = await Promise.all(
      ['i', 'j'].flatMap((item_uid) =>
        RULES.map(async (rule_uid) =>
          (
            await r.evidence.history(actor.account_id, { ...query, item_uid, rule_uid }, FIRST_PAGE)
          ).data
            .map((one) => `${one.entry} ${one.current}`)
            .sort(),
        ),
      ),
    );
    const { position } = await r.log.changes(
      actor.account_id,
      asStream(caseUid),
      0,
      1_000,
      undefined,
    );
    const snapshot = JSON.parse(
      (await r.log.snapshot(actor.account_id, { ...query, after: undefined })).text,
    ) as { items: { heads: Record<string, string> }[] };
    return {
      items,
      summary: page.summary,
      heads,
      itemHeads: snapshot.items.map((one) => one.heads),
      count: position.count,
    };
  });
}

async function makeCase(caseUid: string): Promise<void> {
  const { record } = await store.transact((w) =>
    w.projectWrites.upsert(actor, { name: 'P' }, undefined),
  );
  await store.transact((w) =>
    w.caseWrites.upsert(
      actor,
      { project_id: record.project_id, case_uid: asCase(caseUid) },
      undefined,
    ),
  );
}

test('I1 I3 I9 every order, portion and repetition of a set of changes leaves the same state', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 2, maxLength: 7 }).chain((steps) =>
        fc.tuple(
          fc.constant(steps),
          fc.shuffledSubarray(
            steps.map((_, index) => index),
            { minLength: steps.length },
          ),
          fc.array(fc.nat(6), { maxLength: 4 }),
          fc.integer({ min: 1, max: 3 }),
        ),
      ),
      async ([steps, order, repeated, portion]) => {
        number += 1;
        const caseUid = `o${number}`;
        await makeCase(caseUid);
        const changes = build(caseUid, steps);
        await store.transact((w) =>
          w.log.push(actor, asStream(caseUid), changes.map(wire), undefined),
        );
        const expected = await state(caseUid);
        // The same changes in another store. The case's own first change differs, so only the
        // counts of the logs are compared.
        const [mine, me] = [store, actor];
        const file = path.join(folder, `other-${caseUid}.sqlite`);
        await putMigrated(file);
        store = ofOwnAccount(
          await openStore(
            {
              kind: 'sqlite',
              file,
              shippedProfiles: [SHIPPED],
            },
            testPorts(),
          ),
        );
        actor = { ...me, account_id: store.local.account_id, user_id: store.local.user_id };
        try {
          await makeCase(caseUid);
          const sent = [...order, ...repeated].map((index) =>
            wire(changes[index % changes.length] as SealedChange),
          );
          for (let start = 0; start < sent.length; start += portion)
            await store.transact((w) =>
              w.log.push(actor, asStream(caseUid), sent.slice(start, start + portion), undefined),
            );
          expect(await state(caseUid)).toEqual(expected);
        } finally {
          await store.close();
          [store, actor] = [mine, me];
        }
      },
    ),
    { numRuns: 15 },
  );
});
