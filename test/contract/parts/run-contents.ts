import { AccountId, type CaseUid } from '../../../src/shared/contract/ids.ts';
import { describe, expect, test } from 'vitest';
import { ticketOf } from '../../../src/server/storage/runs/run-content.ts';
import { blobsOf } from '../../../src/shared/domain/run-manifest.ts';
import { splitRun } from '../../../src/shared/domain/run-split.ts';
import { contentHash, type RunRecord, verifyRun } from '../../../src/shared/domain/run.ts';
import { canonicalJson } from '../../../src/shared/lib/canonical-json.ts';
import { testHasher } from '../../support/hasher.ts';
import { lengthOf } from '../../support/length.ts';
import { contestedInput, sampleInput, sampleRecord } from '../../unit/shared/domain/run-sample.ts';
import { FIRST_PAGE, foreignChange, item, outcome, refusal, wire, type World } from '../world.ts';
import { asCase, asProfile, asRun, asStream } from '../../support/ids.ts';

/** Items of a large run, ten cells each: chunks by the dozen. */
const LARGE = lengthOf(4_000, 10_000);

function cut(record: RunRecord) {
  const { manifest, blobs } = splitRun(
    { ...record.frozen, settings: record.settings, method: record.method, result: record.result },
    record.content_hash,
    testHasher,
  );
  return {
    hash: record.content_hash,
    manifest,
    text: canonicalJson(manifest),
    blobs,
    ticket: ticketOf(record),
  };
}

/** A record whose content is another one: its hash fits. */
function rehashed(record: RunRecord): RunRecord {
  return {
    ...record,
    content_hash: contentHash(
      { ...record.frozen, settings: record.settings, method: record.method, result: record.result },
      testHasher,
    ),
  };
}

/** Runs by content: blobs, manifests, runs that come from elsewhere. */
export function runContentTests(get: () => World): void {
  const receive = (run: ReturnType<typeof cut>, account = get().account) =>
    get().store.transact((w) => w.runWrites.receive(account, run.hash, run.text, run.ticket));
  const put = (blobs: ReadonlyMap<string, string>, account = get().account) =>
    get().store.transact((w) => w.runWrites.putBlobs(account, [...blobs]));
  const missing = (names: string[], account = get().account) =>
    get().store.read((r) => r.runs.missingBlobs(account, names));
  const run = cut(sampleRecord(contestedInput));

  describe('runs by content', () => {
    test('F3 F6 blobs are put once, belong to an account, and come before the manifest', async () => {
      const { store, account } = get();
      const names = blobsOf(run.manifest);
      expect(await missing([...names, ...names])).toEqual(names);
      expect((await refusal(receive(run))).details.map((detail) => detail.message)).toEqual(names);
      expect(await put(new Map([...run.blobs].slice(0, 1)))).toBe(1);
      expect((await refusal(receive(run))).code).toBe('missing_blobs');
      expect(await put(run.blobs)).toBe(names.length - 1);
      expect(await put(run.blobs)).toBe(0);
      expect(await missing(names)).toEqual([]);
      expect(await missing(names, AccountId.parse('acc_stranger'))).toEqual(names);
      for (const [name, text] of run.blobs) {
        expect(await store.read((r) => r.runs.blob(account, name))).toBe(text);
        expect(
          await store.read((r) => r.runs.blob(AccountId.parse('acc_stranger'), name)),
        ).toBeUndefined();
      }
      const some = async (bytes: number, own = account) =>
        (await store.read((r) => r.runs.blobs(own, ['0'.repeat(64), ...names], bytes))).map(
          ([name]) => name,
        );
      expect((await some(1_000_000)).toSorted()).toEqual(names.toSorted());
      expect(await some(1)).toHaveLength(1);
      expect(await some(1_000_000, AccountId.parse('acc_stranger'))).toEqual([]);
      expect((await refusal(put(new Map([['0'.repeat(64), '{}']])))).code).toBe('hash_mismatch');
    });

    test('F1 I3 I11 a run that is received is listed and opened like one made here, however often it comes', async () => {
      const { store, account } = get();
      expect(await receive(run)).toEqual({ created: true, reproduced: true });
      expect(await receive(run)).toEqual({ created: false, reproduced: true });
      const found = await store.read((r) => r.runs.get(account, asRun('run_1')));
      expect(found?.record).toEqual(JSON.parse(JSON.stringify(sampleRecord(contestedInput))));
      expect(verifyRun(JSON.parse(found?.json ?? ''), testHasher)).toMatchObject({
        problems: [],
        content_hash: { ok: true },
        recomputed: { ok: true },
      });
      const list = await store.read((r) =>
        r.runs.list(
          account,
          { case_uid: asCase('case-1'), project_id: undefined, profile_uid: undefined },
          FIRST_PAGE,
        ),
      );
      expect(list.data).toMatchObject([
        { run_uid: 'run_1', created_by: 'Tester', reproduced: true, content_hash: run.hash },
      ]);
      const described = await store.read((r) =>
        r.runs.describe(account, run.hash, { run_uid: undefined, verify: true }),
      );
      expect(described).toEqual({
        manifest: run.text,
        runs: [run.ticket],
        verification: {
          integrity: { ok: true, stated: run.hash, computed: run.hash, damaged: [] },
          reproducibility: { ok: true, differences: [] },
        },
      });
      expect(
        await store.read((r) =>
          r.runs.describe(AccountId.parse('acc_stranger'), run.hash, {
            run_uid: undefined,
            verify: false,
          }),
        ),
      ).toBeUndefined();
    });

    test('F5 one content may have several runs, and one name several contents: all are kept, the older is meant', async () => {
      const { store, account } = get();
      const twin = {
        ...run,
        ticket: { ...run.ticket, run_uid: asRun('run_2'), created_by: 'Somebody' },
      };
      expect(await receive(twin)).toMatchObject({ created: true });
      expect((await store.read((r) => r.runs.get(account, asRun('run_2'))))?.record).toMatchObject({
        run_uid: 'run_2',
        created_by: 'Somebody',
        url: '/studio/runs/run_2',
        content_hash: run.hash,
      });
      const other = cut({ ...sampleRecord(sampleInput), created_at: '2026-01-03T00:00:00.000Z' });
      await put(other.blobs);
      expect(await receive(other)).toMatchObject({ created: true });
      expect(
        (await store.read((r) => r.runs.get(account, asRun('run_1'))))?.record.content_hash,
      ).toBe(run.hash);
      expect(
        (await store.read((r) => r.runs.get(account, asRun('run_1'), other.hash)))?.record
          .content_hash,
      ).toBe(other.hash);
      expect(
        await store.read((r) => r.runs.get(account, asRun('run_2'), other.hash)),
      ).toBeUndefined();
      expect(
        (await store.read((r) => r.runs.contents(account, asRun('run_1')))).map(
          (content) => content.content_hash,
        ),
      ).toEqual([run.hash, other.hash]);
    });

    test('F4 a result that is not reproduced is kept as it was stated, and marked', async () => {
      const { store, account } = get();
      const record = sampleRecord(sampleInput);
      const [first, ...others] = record.result.items;
      const wrong = cut(
        rehashed({
          ...record,
          run_uid: asRun('run_wrong'),
          url: '/studio/runs/run_wrong',
          result: {
            ...record.result,
            items: [{ ...(first as NonNullable<typeof first>), theta_mean: 0.999 }, ...others],
          },
        }),
      );
      await put(wrong.blobs);
      expect(await receive(wrong)).toEqual({ created: true, reproduced: false });
      expect(
        (await store.read((r) => r.runs.get(account, asRun('run_wrong'))))?.record.result.items[0]
          ?.theta_mean,
      ).toBe(0.999);
      const { data } = await store.read((r) =>
        r.runs.list(
          account,
          { case_uid: asCase('case-1'), project_id: undefined, profile_uid: undefined },
          FIRST_PAGE,
        ),
      );
      expect(data.filter((entry) => !entry.reproduced).map((entry) => entry.run_uid)).toEqual([
        'run_wrong',
      ]);
      const described = await store.read((r) =>
        r.runs.describe(account, wrong.hash, { run_uid: asRun('run_wrong'), verify: true }),
      );
      expect(described?.verification).toMatchObject({
        integrity: { ok: true },
        reproducibility: {
          ok: false,
          differences: [{ path: '/result/items/0/theta_mean', stated: 0.999 }],
        },
      });
    });

    test('F4 what is no run, or another one than it says, is refused and changes nothing', async () => {
      const { store, account } = get();
      const fresh = cut(
        sampleRecord({ ...sampleInput, case: { ...sampleInput.case, title: 'Fresh' } }),
      );
      const code = async (own: Partial<typeof fresh>): Promise<string> =>
        (await refusal(receive({ ...fresh, ...own }))).code;
      await put(fresh.blobs);
      const forged = { ...fresh.manifest, case: { ...fresh.manifest.case, title: 'Forged' } };
      expect(await code({ text: canonicalJson(forged) })).toBe('hash_mismatch');
      expect(await code({ hash: run.hash })).toBe('hash_mismatch');
      expect(await code({ text: `${fresh.text} ` })).toBe('validation_failed');
      expect(await code({ text: '{' })).toBe('validation_failed');
      expect(await code({ text: canonicalJson({ ...fresh.manifest, v: 2 }) })).toBe(
        'validation_failed',
      );
      expect(
        await code({
          text: canonicalJson({ ...fresh.manifest, chunks: [fresh.manifest.profile] }),
        }),
      ).toBe('validation_failed');
      expect(
        await code({
          text: canonicalJson({
            ...fresh.manifest,
            chunks: [...fresh.manifest.chunks, ...fresh.manifest.chunks],
          }),
        }),
      ).toBe('validation_failed');
      expect(
        await store.read((r) =>
          r.runs.describe(account, fresh.hash, { run_uid: undefined, verify: false }),
        ),
      ).toBeUndefined();
      expect(await receive(fresh)).toMatchObject({ created: true });
    });

    test('F4 I10 a blob that was damaged on disk is found, and healed by the same blob sent again', async () => {
      const { store, account, sql } = get();
      const own = cut(
        sampleRecord({
          ...sampleInput,
          items: [...sampleInput.items].map((entry) => ({ ...entry, label: 'Damaged' })),
        }),
      );
      const [chunk = ''] = own.manifest.chunks;
      await put(new Map([...own.blobs].filter(([name]) => name !== chunk)));
      // Other bytes under the chunk's name: nothing in the store itself can do this.
      await sql(
        `INSERT INTO blobs (account, sha256, copy, packed) SELECT account,
          '${chunk}', 0, packed FROM blobs JOIN accounts USING (account)
          WHERE account_id = '${account}' AND sha256 = '${own.manifest.profile}'`,
      );
      expect((await refusal(store.read((r) => r.runs.blob(account, chunk)))).code).toBe(
        'integrity_error',
      );
      expect((await refusal(receive(own))).code).toBe('missing_blobs');
      expect(await put(own.blobs)).toBe(1);
      expect(await receive(own)).toMatchObject({ created: true, reproduced: true });
      expect(await store.read((r) => r.runs.blob(account, chunk))).toBe(own.blobs.get(chunk));
      // A check that found the damage before is answered by the run that comes again.
      await store.transact((w) => w.runWrites.noteWhole(account, own.hash, false));
      expect(await store.read((r) => r.runs.lacking(account, [own.hash]))).toEqual([own.hash]);
      expect(await receive(own)).toMatchObject({ created: false, reproduced: true });
      expect(await store.read((r) => r.runs.lacking(account, [own.hash]))).toEqual([]);
    });

    test('F3 an announced run is awaited until it comes, and only then', async () => {
      const { newCase, store, account, human } = get();
      await newCase('awaiting');
      const own = cut(
        sampleRecord({
          ...sampleInput,
          case: { ...sampleInput.case, case_uid: asCase('awaiting') },
        }),
      );
      const announce = (content_hash: string) =>
        foreignChange('awaiting', [
          { op: 'announce', parents: [], reg: 'run/run_1', value: { content_hash } },
        ]);
      await store.transact((w) =>
        w.log.push(
          human,
          asStream('awaiting'),
          [announce(own.hash), announce('\u0000not a hash'), announce(run.hash)].map(wire),
          undefined,
        ),
      );
      const awaited = () =>
        store.read((r) => r.runs.awaited(account, { case_uid: asCase('awaiting') }));
      expect(await awaited()).toEqual([
        { run_uid: 'run_1', content_hash: own.hash, case_uid: 'awaiting' },
      ]);
      expect(await store.read((r) => r.runs.awaited(AccountId.parse('acc_stranger'), {}))).toEqual(
        [],
      );
      await put(own.blobs);
      await receive(own);
      expect(await awaited()).toEqual([]);
    });

    test('R13 a case counts each content of each run once, and of these the missing and the damaged ones', async () => {
      const { newCase, record, store, account, human } = get();
      const uid = await newCase('counted');
      const other = await newCase('not-asked-for');
      const counts = () => store.read((r) => r.runs.counts(account, [uid, asCase('none')]));
      const wholeOf = async (caseUid: CaseUid) =>
        (await store.read((r) => r.log.positions(account, undefined))).cases.find(
          (one) => one.case_uid === caseUid,
        )?.runs;
      expect(await counts()).toEqual([]);
      const freeze = async (caseUid: CaseUid) =>
        (
          await store.transact((w) =>
            w.runWrites.create(human, {
              case_uid: caseUid,
              profile_uid: asProfile('shipped_profile'),
            }),
          )
        ).record;
      for (const caseUid of [uid, other]) await record({ case_uid: caseUid, items: [item('a')] });
      const own = [await freeze(uid), await freeze(uid)];
      await freeze(other);
      expect(own[0]?.content_hash).toBe(own[1]?.content_hash);
      expect(await counts()).toEqual([{ case_uid: uid, known: 2, lacking: 0 }]);

      const far = cut({
        ...sampleRecord({ ...sampleInput, case: { ...sampleInput.case, case_uid: uid } }),
        run_uid: asRun('run_far'),
      });
      const announcement = foreignChange(uid, [
        { op: 'announce', parents: [], reg: 'run/run_far', value: { content_hash: far.hash } },
      ]);
      for (let twice = 0; twice < 2; twice += 1)
        await store.transact((w) => w.log.push(human, uid, [wire(announcement)], undefined));
      expect(await counts()).toEqual([{ case_uid: uid, known: 3, lacking: 1 }]);
      expect(await wholeOf(uid)).toBe(2);
      await put(far.blobs);
      for (let twice = 0; twice < 2; twice += 1) await receive(far);
      expect(await counts()).toEqual([{ case_uid: uid, known: 3, lacking: 0 }]);
      expect(await wholeOf(uid)).toBe(3);

      const note = (hash: string, whole: boolean) =>
        store.transact((w) => w.runWrites.noteWhole(account, hash, whole));
      await note(own[0]?.content_hash ?? '', false);
      expect(await counts()).toEqual([{ case_uid: uid, known: 3, lacking: 2 }]);
      expect([await wholeOf(uid), await wholeOf(other)]).toEqual([1, 1]);
      expect(
        (await store.read((r) => r.runs.states(account, uid))).map(({ whole }) => whole),
      ).toEqual([false, false, true]);
      expect(
        (await store.read((r) => r.runs.damaged(account, 10))).map((run) => run.run_uid),
      ).toEqual(own.map((run) => run.run_uid));
      await note(own[0]?.content_hash ?? '', true);
      await get().reopen();
      expect(await get().store.read((r) => r.runs.counts(account, [uid]))).toEqual([
        { case_uid: uid, known: 3, lacking: 0 },
      ]);
      expect(
        await get().store.read((r) => r.runs.counts(AccountId.parse('acc_stranger'), [uid])),
      ).toEqual([]);
    });

    test('F2 a run frozen here is stored as its chunks, and once more frozen costs no blob', async () => {
      const { newCase, record, store, account, human } = get();
      await newCase('frozen');
      await record({
        case_uid: 'frozen',
        items: [item('a'), item('b')],
        outcomes: [outcome('a', 'rule_a', 'FALSE', { notes: 'n' })],
      });
      const freeze = () =>
        store.transact((w) =>
          w.runWrites.create(human, {
            case_uid: asCase('frozen'),
            profile_uid: asProfile('shipped_profile'),
          }),
        );
      const first = await freeze();
      const second = await freeze();
      expect(second.record).toMatchObject({ content_hash: first.record.content_hash });
      const described = await store.read((r) =>
        r.runs.describe(account, first.record.content_hash, { run_uid: undefined, verify: true }),
      );
      expect(described?.runs.map((ticket) => ticket.run_uid)).toEqual([
        first.record.run_uid,
        second.record.run_uid,
      ]);
      expect(described?.verification).toMatchObject({
        integrity: { ok: true },
        reproducibility: { ok: true },
      });
      const { blobs, manifest } = cut(first.record);
      expect(described?.manifest).toBe(canonicalJson(manifest));
      expect(await put(blobs)).toBe(0);
    });

    test(`I11 a run of ${10 * LARGE} cells arrives and is opened as it was frozen`, async () => {
      const { store, account } = get();
      const rules = Array.from({ length: 10 }, (_, index) => ({
        ...(sampleInput.profile.rules[0] as (typeof sampleInput.profile.rules)[number]),
        ruleOrder: index + 1,
        ruleUid: `rule_${index}`,
      }));
      const items = Array.from({ length: LARGE }, (_, position) => ({
        item_uid: `item_${position}`,
        item_type: 'x',
        label: '',
        metadata: {},
        position,
      }));
      const cells = items.flatMap(({ item_uid, position }) =>
        rules.map(({ ruleUid }, column) => ({
          item_uid,
          rule_uid: ruleUid,
          raw_outcome:
            ([null, 'TRUE', 'FALSE', 'NA'] as const)[(position * 7 + column) % 4] ?? null,
        })),
      );
      const record = {
        ...sampleRecord({
          ...sampleInput,
          profile: { ...sampleInput.profile, rules },
          items,
          cells,
        }),
        run_uid: asRun('run_large'),
        url: '/studio/runs/run_large',
      };
      const large = cut(record);
      expect(large.manifest.chunks.length).toBeGreaterThan(LARGE / 340);
      await put(large.blobs);
      expect(await receive(large)).toEqual({ created: true, reproduced: true });
      expect(
        canonicalJson((await store.read((r) => r.runs.get(account, asRun('run_large'))))?.record),
      ).toBe(canonicalJson(record));
    });

    test('F3 an upload that nobody finishes goes after a week; what a manifest has named stays for ever', async () => {
      const { store, account, ports, ownSql } = get();
      const expire = () => store.transact((w) => w.runWrites.expireUploads());
      const text = '{"never":"named"}';
      const name = testHasher.sha256Hex(text);
      const kept = blobsOf(run.manifest);
      expect(await put(new Map([[name, text]]))).toBe(1);
      ports.advance(6 * 86_400_000);
      await expire();
      expect([await missing([name]), await put(new Map([[name, text]]))]).toEqual([[], 0]);
      ports.advance(2 * 86_400_000);
      await expire();
      expect(await missing([name, ...kept])).toEqual([name]);
      expect(await store.read((r) => r.runs.blob(account, name))).toBeUndefined();
      await ownSql(`DELETE FROM blobs WHERE sha256 = '${kept[0]}'`).catch(() => {});
      expect(await missing(kept)).toEqual([]);
      // It can be sent again from the beginning.
      expect(await put(new Map([[name, text]]))).toBe(1);
      expect(await store.read((r) => r.runs.blob(account, name))).toBe(text);
    });
  });
}
