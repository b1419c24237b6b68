import { known, type CaseUid } from '../../../src/shared/contract/ids.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OutcomeInput } from '../../../src/shared/contract/v1/evidence.ts';
import { SnapshotChunk } from '../../../src/shared/contract/sync.ts';
import { type Change, unseal } from '../../../src/sync/change.ts';
import { digestOf, Oracle } from '../../model/oracle.ts';
import { assertionOf, type Built, type Intent, ITEMS, Peer } from '../../model/peer.ts';
import {
  batches,
  type BatchStep,
  budget,
  isLongRun,
  PEERS,
  portions,
  type Step,
  steps,
  wireOf,
} from '../../model/steps.ts';
import { testHasher } from '../../support/hasher.ts';
import { FIRST_PAGE, item, outcome, refusal, RULES, SHIPPED, type World } from '../world.ts';
import { lengthOf } from '../../support/length.ts';
import { asCase, asProject } from '../../support/ids.ts';

const MATRIX = `${SHIPPED.profileUid}@${SHIPPED.version}`;
const QUERY = { profile_uid: SHIPPED.profileUid, profile_version: undefined };
/** Where the last page of deleted cases began: a new case comes after all others. */
let lastPage: string | undefined;
const met = { quarantined: 0, duplicates: 0, contested: 0, deleted: 0, resolved: 0, beneath: 0 };

/** One case of the store under test, the peers that write to it, and what it must hold by now. */
class Play {
  readonly truth = new Oracle();
  readonly peers: Peer[];
  /** Every change of a peer, with what is wrong with it. */
  readonly made = new Map<string, Built>();
  readonly #world: World;
  readonly #case: CaseUid;

  constructor(world: World, caseUid: string) {
    this.#world = world;
    this.#case = asCase(caseUid);
    this.peers = Array.from(
      { length: PEERS },
      (_, index) => new Peer({ caseUid, matrix: MATRIX, rules: RULES }, `usr_${index}`),
    );
  }

  async begin(): Promise<void> {
    await this.#world.newCase(this.#case);
    await this.#learn();
    for (const peer of this.peers) await this.#pull(peer, 100);
  }

  /** Takes over what the store's own author has added to the log. */
  async #learn(): Promise<Change[]> {
    const { store, account } = this.#world;
    const { changes } = await store.read((r) =>
      r.log.changes(account, this.#case, this.truth.ids.length, 1_000, undefined),
    );
    return changes.map(({ id, change, quarantined }) => {
      expect(quarantined).toEqual([]);
      const sealed = unseal(id, change, testHasher);
      this.truth.add(sealed, []);
      return sealed.change;
    });
  }

  async take(step: BatchStep): Promise<void> {
    this.#world.ports.advance(1_000);
    switch (step.do) {
      case 'write': {
        const built = this.peers[step.peer]?.write(step.intents, step.clock, step.reason);
        if (built !== undefined) this.made.set(built.sealed.id, built);
        return;
      }
      case 'push':
        return this.#push(step);
      case 'pull':
        return this.#pull(this.peers[step.peer] as Peer, step.limit);
      case 'record':
        return this.#record(step.intent);
      case 'request':
        return this.#request(step);
      case 'ask for nothing':
        return this.#askForNothing();
      case 'reopen':
        return this.#world.reopen();
      case 'bootstrap':
        return this.#compareSnapshot();
    }
  }

  async #push(step: Extract<Step, { do: 'push' }>): Promise<void> {
    const { store, human } = this.#world;
    const peer = this.peers[step.peer] as Peer;
    // Where all is sent, what is there is sent again.
    const source = peer.unsent.length > 0 ? peer.unsent : [...this.made.values()];
    for (const batch of portions(source, step)) {
      const known = new Set(this.truth.ids);
      const { results, position } = await store.transact((w) =>
        w.log.push(
          human,
          this.#case,
          batch.map(({ sealed }) => wireOf(sealed)),
          undefined,
        ),
      );
      const expected = batch.map(({ sealed: { id }, broken }) => {
        const status = known.has(id) ? 'duplicate' : broken.length > 0 ? 'quarantined' : 'applied';
        known.add(id);
        return { id, status, quarantined: broken };
      });
      for (const { sealed, broken } of batch) this.truth.add(sealed, broken);
      expect(results.map(({ id, status, quarantined }) => ({ id, status, quarantined }))).toEqual(
        expected,
      );
      expect(results.map(({ seq }) => seq)).toEqual(
        batch.map(({ sealed }) => this.truth.ids.indexOf(sealed.id) + 1),
      );
      expect(position).toMatchObject(digestOf(this.truth.ids));
      met.duplicates += expected.filter(({ status }) => status === 'duplicate').length;
      met.quarantined += expected.filter(({ status }) => status === 'quarantined').length;
      const sent = new Set(batch.map(({ sealed }) => sealed.id));
      peer.unsent = peer.unsent.filter(({ sealed }) => !sent.has(sealed.id));
    }
    await this.compare();
  }

  async #pull(peer: Peer, limit: number): Promise<void> {
    const { store, account } = this.#world;
    const { changes, from, to, chain } = await store.read((r) =>
      r.log.changes(account, this.#case, peer.cursor, limit, undefined),
    );
    expect(from).toBe(peer.cursor);
    expect(changes.map(({ id }) => id)).toEqual(this.truth.ids.slice(from, to));
    expect(chain).toBe(digestOf(this.truth.ids.slice(0, to)).chain);
    for (const { id, change, quarantined } of changes) {
      const built = this.truth.changes.get(id);
      expect(change, 'I16 byte for byte').toBe(built?.text);
      expect(quarantined).toEqual(this.truth.quarantined.get(id));
      if (built !== undefined) peer.hold(built, quarantined);
    }
    peer.cursor = to;
  }

  /** What a REST request or the window writes by this store. */
  async #record({ item: itemAt, rule: ruleAt, value, gesture, pick }: Intent): Promise<void> {
    const uid = ITEMS[itemAt] ?? 'i0';
    const rule = RULES[ruleAt % RULES.length] ?? '';
    const before = this.truth.cell(MATRIX, rule, uid);
    const heads = new Map(this.truth.registers().map((reg) => [reg, this.truth.heads(reg).length]));
    const shown = new Map(
      this.truth.registers().map((reg) => [reg, this.truth.heads(reg)[0]?.name]),
    );
    const absent = !this.truth.itemUids().includes(uid) || this.truth.isDeleted(uid);
    const { raw_outcome, ...given } = assertionOf(value);
    const isGiven = pick % 2 === 0;
    // What is left out stays while the outcome stays.
    const stays = raw_outcome === before.raw_outcome;
    const source_value = isGiven
      ? (given.source_value ?? null)
      : stays
        ? before.source_value
        : null;
    const provenance = isGiven ? (given.provenance ?? null) : stays ? before.provenance : null;
    const write: OutcomeInput =
      gesture === 'note'
        ? { item_uid: uid, rule_uid: rule, notes: `own ${value % 3}` }
        : {
            item_uid: uid,
            rule_uid: rule,
            raw_outcome: raw_outcome as OutcomeInput['raw_outcome'] & string,
            ...(isGiven && { source_value, provenance: provenance as string | null }),
          };
    const receipt = await this.#world.record({
      case_uid: this.#case,
      items: absent ? [item(uid)] : [],
      outcomes: [write],
    });
    const differs =
      gesture === 'note'
        ? before.notes !== write.notes
        : before.raw_outcome !== raw_outcome ||
          before.source_value !== source_value ||
          JSON.stringify(before.provenance) !== JSON.stringify(provenance);
    expect(receipt).toMatchObject({
      outcomes_written: differs ? 1 : 0,
      items_created: absent ? 1 : 0,
    });
    for (const change of await this.#learn()) {
      for (const { op, parents, reg, value: said } of change.entries) {
        if (reg.startsWith('a/'))
          expect({ source_value: null, provenance: null, ...(said as object) }, 'V3').toEqual({
            raw_outcome,
            source_value,
            provenance,
          });
        expect([op, parents], `H6 ${reg}`).toEqual([
          'set',
          shown.get(reg) === undefined ? [] : [shown.get(reg)],
        ]);
      }
    }
    // I7 no plain write settles what contests.
    for (const [reg, count] of heads)
      expect(this.truth.heads(reg).length, `heads of ${reg}`).toBeGreaterThanOrEqual(count);
    await this.compare();
  }

  /** Many items and outcomes in one request: all of them, or none with the reason. */
  async #request({ items, outcomes }: Extract<BatchStep, { do: 'request' }>): Promise<void> {
    const uids: string[] = [...new Set(items)].map((at) => ITEMS[at] ?? 'new item');
    const isKnown = (uid: string): boolean =>
      uids.includes(uid) || (this.truth.itemUids().includes(uid) && !this.truth.isDeleted(uid));
    const written = outcomes.map(({ item: at, rule, value }) =>
      outcome(
        ITEMS[at] ?? 'new item',
        RULES[rule] ?? 'rule_of_nobody',
        assertionOf(value).raw_outcome as OutcomeInput['raw_outcome'] & string,
      ),
    );
    const cells = written.map(({ item_uid, rule_uid }) => `${rule_uid}/${item_uid}`);
    const isWrong =
      written.some(
        ({ item_uid, rule_uid }) => !isKnown(item_uid) || rule_uid === 'rule_of_nobody',
      ) || new Set(cells).size < cells.length;
    const recorded = this.#world.record({
      case_uid: this.#case,
      items: uids.map((uid) => item(uid)),
      outcomes: written,
    });
    const code = this.truth.isCaseDeleted()
      ? 'not_found'
      : isWrong
        ? 'validation_failed'
        : undefined;
    if (code !== undefined) expect((await refusal(recorded)).code).toBe(code);
    else expect(await recorded).toMatchObject({ case_uid: this.#case });
    const learnt = await this.#learn();
    if (code !== undefined) expect(learnt).toEqual([]);
    await this.compare();
  }

  /** Every question that takes a list, with an empty one and with names that nobody knows. */
  async #askForNothing(): Promise<void> {
    const { store, account, human } = this.#world;
    const log = this.#case;
    await store.read(async ({ log: reader, evidence, keys, sessions, runs, uplink }) => {
      for (const names of [[], [`c1_${'A'.repeat(43)}`]]) {
        expect((await reader.missing(account, log, names, undefined)).missing).toEqual(names);
        expect(await runs.missingBlobs(account, names)).toEqual(names);
        expect(await runs.blobs(account, names, 1_000)).toEqual([]);
        expect(await keys.byIds(names)).toEqual([]);
        expect((await sessions.byHashes(names)).size).toBe(0);
        expect(
          (await reader.changeTokens(names.map((name) => known.accountId.parse(name)))).size,
        ).toBe(0);
        expect(await uplink.profiles(account, names.map(asProject))).toEqual([]);
        expect(
          (await uplink.streams(account, names.map(asProject))).filter(
            ({ kind }) => kind !== 'profiles',
          ),
        ).toEqual([]);
      }
      for (const seqs of [[], [1_000_000]]) expect(await reader.at(account, log, seqs)).toEqual([]);
      expect(await reader.ancestor(account, log, [])).toMatchObject({ seq: 0 });
      for (const names of [[], ['nothing'], [`c1_${'A'.repeat(43)}#0`]])
        expect(await evidence.writers(account, asCase(log), names)).toEqual([]);
    });
    expect((await store.transact((w) => w.log.push(human, log, [], undefined))).results).toEqual(
      [],
    );
    expect(await store.transact((w) => w.runWrites.putBlobs(account, []))).toBe(0);
    await this.#request({ do: 'request', items: [], outcomes: [] });
    await this.compare();
  }

  /** The store's views against the set. */
  async compare(): Promise<void> {
    const expected = this.truth.view(MATRIX, RULES);
    const record = await this.#world.store.read((r) =>
      r.cases.get(this.#world.account, this.#case),
    );
    const isDeleted = this.truth.isCaseDeleted();
    if (isDeleted) {
      expect(record).toBeUndefined();
      expect(await this.#deletions()).toEqual([this.truth.heads('case/x')[0]?.name]);
    }
    const { profile = null, x: _, ...fields } = this.truth.caseFields();
    if (!isDeleted)
      expect(record).toMatchObject({
        ...fields,
        profile_uid: null,
        profile_version: null,
        ...(profile as object | null),
      });
    // V7: what stands in a deleted case is read like any other's.
    const page = (await this.#world.page(this.#case, { limit: 200, cursor: undefined })).value();
    expect(page.deleted).toBe(isDeleted ? true : undefined);
    const items = page.items.map(
      ({ item_uid, item_type, label, position, metadata, evidence }) => ({
        item_uid,
        item_type,
        label,
        position,
        metadata,
        cells: Object.fromEntries(
          evidence.map(({ rule_uid, raw_outcome, source_value, provenance, notes, contested }) => [
            rule_uid,
            { raw_outcome, source_value, provenance, notes, contested },
          ]),
        ),
      }),
    );
    expect(items).toEqual(expected.items);
    expect(page.summary).toMatchObject({
      ...expected.summary,
      unrecorded: expected.summary.items * RULES.length - expected.summary.recorded,
    });
    met.contested += expected.items.filter(({ cells }) =>
      Object.values(cells).some((cell) => cell.contested),
    ).length;
    met.deleted += this.truth.itemUids().filter((uid) => this.truth.isDeleted(uid)).length;
  }

  /** The entries by which the list of deleted cases says that this one was deleted. */
  async #deletions(): Promise<string[]> {
    for (;;) {
      const cursor = lastPage;
      const { data, next_cursor } = await this.#world.store.read((r) =>
        r.cases.deleted(this.#world.account, { project_id: undefined }, { limit: 200, cursor }),
      );
      if (next_cursor === null)
        return data
          .filter(({ case_uid }) => case_uid === this.#case)
          .map(({ deletion }) => deletion.entry);
      lastPage = next_cursor;
    }
  }

  async #compareSnapshot(): Promise<void> {
    const { store, account } = this.#world;
    const chunk = SnapshotChunk.parse(
      JSON.parse(
        (
          await store.read((r) =>
            r.log.snapshot(account, { case_uid: this.#case, ...QUERY, after: undefined }),
          )
        ).text,
      ),
    );
    expect(chunk).toMatchObject({ ...digestOf(this.truth.ids), next: null });
    expect(chunk.items.map(({ item_uid, deleted }) => [item_uid, deleted]).sort()).toEqual(
      this.truth
        .itemUids()
        .map((uid) => [uid, this.truth.isDeleted(uid)])
        .sort(),
    );
    const isHere = (reg: string): boolean =>
      reg.startsWith('item/') ||
      RULES.some(
        (rule) => reg.startsWith(`a/${MATRIX}/${rule}/`) || reg.startsWith(`n/${MATRIX}/${rule}/`),
      );
    const others = this.truth
      .registers()
      .filter(isHere)
      .flatMap((reg) =>
        this.truth
          .heads(reg)
          .slice(1)
          .map(({ name, value }) => ({ reg, head: name, value })),
      );
    const byHead = (list: { head: string }[]) =>
      [...list].sort((a, b) => (a.head < b.head ? -1 : 1));
    expect(byHead(chunk.further)).toEqual(byHead(others));
    const clocks = new Map(chunk.names.map((name, place) => [name, chunk.clocks[place]]));
    for (const reg of this.truth.registers().filter(isHere))
      for (const { name, hlc } of this.truth.heads(reg))
        expect(clocks.get(name.split('#')[0] ?? ''), name).toBe(hlc);
    const heads = chunk.heads.flatMap(([name, first, step, count]) =>
      Array.from({ length: count }, (_, k) =>
        name < 0 ? undefined : `${chunk.names[name]}#${first + step * k}`,
      ),
    );
    chunk.items.forEach((one, row) => {
      for (const [field, name] of Object.entries(one.heads))
        expect(name, `${field} of ${one.item_uid}`).toBe(
          this.truth.heads(`item/${field}/${one.item_uid}`)[0]?.name,
        );
      RULES.forEach((rule, column) => {
        const [first] = this.truth
          .heads(`a/${MATRIX}/${rule}/${one.item_uid}`)
          .map((head) => head.name);
        const detail = chunk.details.find((given) => given.row === row && given.column === column);
        expect(heads[row * RULES.length + column]).toBe(first);
        expect(detail?.notes_head ?? undefined).toBe(
          this.truth.heads(`n/${MATRIX}/${rule}/${one.item_uid}`)[0]?.name,
        );
      });
    });
  }

  /**
   * D1 What its deletion does not cover is listed, and nothing else; one that tells nothing lists
   * nothing.
   */
  async #compareBeneath(): Promise<void> {
    const { store, account } = this.#world;
    const { data } = await store.read((r) =>
      r.evidence.contested(
        account,
        { case_uid: this.#case, ...QUERY },
        { limit: 200, cursor: undefined },
      ),
    );
    const listed = data
      .filter(({ deletion }) => deletion !== null)
      .map(({ item_uid, rule_uid, field, heads, deletion }) => [
        item_uid,
        rule_uid,
        field,
        deletion?.entry,
        heads.map(({ entry }) => entry).sort(),
      ]);
    expect(listed.map((one) => JSON.stringify(one)).sort()).toEqual(
      this.truth
        .beneath(MATRIX, RULES)
        .map((one) => JSON.stringify(one))
        .sort(),
    );
    met.beneath += listed.length;
  }

  /** A run has the rows in the order in which everybody is shown them. */
  async #freeze(): Promise<void> {
    const items = this.truth.view(MATRIX, RULES).items.map(({ item_uid }) => item_uid);
    if (items.length === 0 || this.truth.isCaseDeleted()) return;
    const { record } = await this.#world.store.transact((w) =>
      w.runWrites.create(this.#world.human, {
        case_uid: this.#case,
        ...QUERY,
        accept_contested: true,
        allow_unused_profile: true,
        reason: 'As it is.',
      }),
    );
    expect(record.frozen.items.map(({ item_uid }) => item_uid)).toEqual(items);
    await this.#learn();
  }

  async end(): Promise<void> {
    await this.compare();
    await this.#compareSnapshot();
    await this.#compareBeneath();
    const { store, account } = this.#world;
    // History marks the heads, all of them and no other.
    for (const item_uid of this.truth.itemUids().filter((uid) => !this.truth.isDeleted(uid))) {
      for (const rule_uid of RULES) {
        const { data } = await store.read((r) =>
          r.evidence.history(
            account,
            { case_uid: this.#case, ...QUERY, item_uid, rule_uid },
            FIRST_PAGE,
          ),
        );
        const current = [
          `a/${MATRIX}/${rule_uid}/${item_uid}`,
          `n/${MATRIX}/${rule_uid}/${item_uid}`,
        ].flatMap((reg) => this.truth.heads(reg).map((head) => head.name));
        expect(
          data
            .filter((one) => one.current)
            .map((one) => one.entry)
            .sort(),
        ).toEqual(current.sort());
      }
    }
    await this.#freeze();
    met.resolved += [...this.truth.changes.values()].filter(({ change }) =>
      change.entries.some((entry) => entry.op === 'resolve'),
    ).length;
  }
}

let plays = 0;
export async function play(world: World, given: readonly BatchStep[]): Promise<void> {
  plays += 1;
  const one = new Play(world, `model-${plays}`);
  await one.begin();
  for (const step of given) await one.take(step);
  await one.end();
}

/**
 * The store against what its set of changes means, whatever peers send. What the runs must have
 * met in CI they meet on SQLite, where they take less time.
 */
export function modelTests(get: () => World): void {
  describe('model (V6, V7, V11)', () => {
    test(
      'I1 I3 I7 I9 I10 I12 I16 any commands leave what the set of changes means',
      { timeout: 3_600_000 },
      async () => {
        const property = fc.asyncProperty(steps, (given) => play(get(), given));
        const isDear = get().store.engine === 'postgres';
        await fc.assert(property, budget(lengthOf(isDear ? 3 : 5, 25)));
        if (isLongRun() || lengthOf(isDear, false)) return;
        // Few runs may miss one of these; a long run meets all of them many times over.
        const missed = (): string[] =>
          Object.entries(met)
            .filter(([, count]) => count === 0)
            .map(([what]) => what);
        const more = fc.asyncProperty(steps, async (given) => {
          if (missed().length > 0) await play(get(), given);
        });
        for (let seed = 1; missed().length > 0 && seed <= 10; seed += 1)
          await fc.assert(more, { numRuns: 10, seed });
        expect(missed()).toEqual([]);
      },
    );

    test(
      'batches of many entries on the same rows, columns and counts leave what the set of changes means',
      { timeout: 3_700_000 },
      async () => {
        await fc.assert(
          fc.asyncProperty(batches, (given) => play(get(), given)),
          budget(lengthOf(get().store.engine === 'postgres' ? 2 : 5, 25)),
        );
      },
    );
  });
}
