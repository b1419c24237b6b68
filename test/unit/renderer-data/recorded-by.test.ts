import fc from 'fast-check';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { expect, it } from 'vitest';
import type { DataLayer } from '../../../src/renderer/data/data-layer.ts';
import type { MatrixSession } from '../../../src/renderer/data/store/port.ts';
import { createPace } from '../../../src/renderer/files/pace.ts';
import { longSheet, scopeOf } from '../../../src/renderer/features/transfer/export/sheets.ts';
import { lengthOf, seedOf } from '../../support/length.ts';
import { bootServer } from '../../support/server.ts';
import { until, windowFetch, windowOn } from './support/real-server.ts';
import { asProfile, asCase } from '../../support/ids.ts';

globalThis.IDBKeyRange = IDBKeyRange;
const PROFILE = 'crispr_edit_evidence';
const ITEMS = ['i0', 'i1'];

interface Act {
  by:
    | 'agent'
    | 'other agent'
    | 'one'
    | 'two'
    | 'undo of one'
    | 'undo of two'
    | 'revert'
    | 'both apart'
    | 'accepted';
  item: number;
  rule: number;
  raw: 'TRUE' | 'FALSE' | 'NA' | null;
}
const act: fc.Arbitrary<Act> = fc.record({
  by: fc.constantFrom(
    'agent',
    'other agent',
    'one',
    'two',
    'undo of one',
    'undo of two',
    'revert',
    'both apart',
    'accepted',
  ),
  item: fc.nat(1),
  rule: fc.nat(1),
  raw: fc.constantFrom('TRUE', 'FALSE', 'NA', null),
});

/** A real server and two windows of its person on computers of their own. */
async function play(acts: readonly Act[]): Promise<void> {
  const server = await bootServer();
  const layers: DataLayer[] = [];
  try {
    const project = await server.call('POST', '/api/v1/projects', { body: { name: 'P' } });
    await server.call('POST', '/api/v1/cases', {
      body: { project_id: project.body.project_id, case_uid: 'c1', profile_uid: PROFILE },
    });
    const profile = (await server.call('GET', `/api/v1/profiles/${PROFILE}`)).body;
    const rules: string[] = profile.rules.map((rule: { ruleUid: string }) => rule.ruleUid);
    const other = await server.makeKey({ name: 'other' });
    const changes: string[] = [];
    const record = async (key: string, items: object[], outcomes: object[]): Promise<void> => {
      const { body } = await server.call('POST', '/api/v1/cases/c1/evidence', {
        key,
        body: { profile_uid: PROFILE, items, outcomes },
      });
      changes.push(...body.changes);
    };
    await record(
      server.key,
      ITEMS.map((item_uid) => ({ item_uid })),
      [],
    );
    /** A person at another window, by requests. */
    const person = async (path: string, body: object): Promise<{ changes: string[] }> => {
      const answer = await windowFetch(server)(`/api/v1/cases/c1/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return (await answer.json()) as { changes: string[] };
    };
    const decided = new Set<string>();
    /** The agent suggests, and a person accepts it. */
    const accept = async (outcome: object): Promise<void> => {
      const { body } = await server.call('POST', '/api/v1/cases/c1/suggestions', {
        body: { profile_uid: PROFILE, suggestions: [{ ...outcome, quote: 'q' }] },
      });
      const receipt = await person('suggestions/decisions', {
        profile_uid: PROFILE,
        decisions: [{ suggestion_id: body.suggestions[0].suggestion_id, verdict: 'accept' }],
      });
      changes.push(...receipt.changes);
      for (const change of receipt.changes) decided.add(change);
    };
    const away = { one: false, two: false };
    const open = async (
      name: 'one' | 'two',
      factory = new IDBFactory(),
    ): Promise<{ session: MatrixSession; factory: IDBFactory }> => {
      const send = windowFetch(server);
      const layer = await windowOn(server, factory, (input, init) =>
        away[name] ? Promise.reject(new TypeError('away')) : send(input, init),
      );
      layers.push(layer);
      return {
        factory,
        session: await layer.openMatrix({
          caseUid: asCase('c1'),
          profileUid: asProfile(PROFILE),
          profileVersion: profile.version,
        }),
      };
    };
    const windows = { one: await open('one'), two: await open('two') };
    const truth = async (): Promise<Map<string, unknown>> => {
      const { items } = (
        await server.call('GET', `/api/v1/cases/c1/evidence?profile_uid=${PROFILE}`)
      ).body;
      const cells = items.flatMap(
        (item: { evidence: { item_uid: string; rule_uid: string; recorded_by: unknown }[] }) =>
          item.evidence,
      );
      return new Map(
        cells.map((cell: { item_uid: string; rule_uid: string; recorded_by: unknown }) => [
          `${cell.item_uid} ${cell.rule_uid}`,
          cell.recorded_by,
        ]),
      );
    };
    const seq = async (): Promise<string> =>
      JSON.stringify(
        (
          await server.call('GET', `/api/v1/cases/c1/evidence?profile_uid=${PROFILE}`)
        ).body.items.map((item: { evidence: { rule_uid: string; raw_outcome: string }[] }) =>
          item.evidence.map((cell) => [cell.rule_uid, cell.raw_outcome]),
        ),
      );
    const shownIn = (session: MatrixSession): string =>
      JSON.stringify(
        ITEMS.map((_, row) =>
          rules.flatMap((rule, column) =>
            session.state(row, column) === null ? [] : [[rule, session.state(row, column)]],
          ),
        ),
      );
    const expectSame = (
      name: string,
      session: MatrixSession,
      wanted: ReadonlyMap<string, unknown>,
    ): void => {
      for (const [row, item] of ITEMS.entries()) {
        for (const [column, rule] of rules.entries())
          if (session.state(row, column) !== null)
            expect([name, item, rule, session.recordedBy(row, column)]).toEqual([
              name,
              item,
              rule,
              wanted.get(`${item} ${rule}`),
            ]);
      }
    };
    const settle = async (): Promise<void> => {
      for (const { session } of Object.values(windows)) await session.flush(8_000);
      const shown = await seq();
      for (const { session } of Object.values(windows))
        await until(
          () => shownIn(session) === shown && session.saveStatus.waiting === 0,
          () => [shown, shownIn(session)],
        );
    };
    const wanted = { one: windows.one.session, two: windows.two.session };
    for (const { by, item, rule, raw } of acts) {
      const cell = { item: ITEMS[item]!, rule: rules[rule]! };
      const outcome = { item_uid: cell.item, rule_uid: cell.rule, raw_outcome: raw };
      if (by === 'agent') await record(server.key, [], [outcome]);
      else if (by === 'other agent') await record(other, [], [outcome]);
      else if (by === 'one' || by === 'two')
        await wanted[by].write('Set', [cell], { raw_outcome: raw });
      else if (by === 'accepted') {
        // Another outcome than the one shown, so that the windows are seen to have it.
        const shown = wanted.one.state(item, rule);
        await accept({ ...outcome, raw_outcome: shown === 'NA' ? 'TRUE' : 'NA' });
      } else if (by === 'revert' && decided.has(changes.at(-1) ?? ''))
        await person('reverts', { changes: changes.slice(-1), reason: 'taken back' });
      else if (by === 'revert')
        await server.call('POST', '/api/v1/cases/c1/reverts', {
          key: server.key,
          body: { changes: changes.slice(-1), reason: 'taken back' },
        });
      else if (by === 'both apart') {
        away.one = true;
        await wanted.one.write('Set', [cell], { raw_outcome: raw });
        await record(other, [], [outcome]);
        away.one = false;
      } else await wanted[by === 'undo of one' ? 'one' : 'two'].undo();
      await settle();
      const now = await truth();
      expectSame('one', windows.one.session, now);
      expectSame('two', windows.two.session, now);
    }
    // Without the server, from what is stored alone; and so in the sheet that is exported.
    const last = await truth();
    for (const layer of layers.splice(0)) layer.close();
    await new Promise((resolve) => setTimeout(resolve, 50));
    away.one = true;
    const { session } = await open('one', windows.one.factory);
    expectSame('one, offline', session, last);
    const sheet = await longSheet(
      session,
      scopeOf(session, 'all'),
      { unrecorded: false },
      createPace(),
    );
    const columnOf = (header: string): readonly unknown[] =>
      (sheet.columns.find((column) => column.header === header) as { cells: readonly unknown[] })
        .cells;
    const rows = columnOf('item_uid').map((item, at) => [
      `${String(item)} ${String(columnOf('rule_uid')[at])}`,
      columnOf('recorded_by')[at],
      columnOf('recorded_by_kind')[at],
      columnOf('recorded_by_key_id')[at],
      columnOf('accepted_by')[at],
    ]);
    for (const [cell, name, kind, key_id, accepted_by] of rows)
      expect([
        cell,
        {
          name,
          kind,
          ...(key_id !== '' && { key_id }),
          ...(accepted_by !== '' && { accepted_by }),
        },
      ]).toEqual([cell, last.get(String(cell))]);
  } finally {
    for (const layer of layers) layer.close();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await server.close();
  }
}

it(
  'V9 a window says of every outcome whose it is as the server does, after any acts, offline and in its export as well',
  { timeout: 300_000 },
  async () => {
    const agent = (raw: Act['raw'], rule = 0): Act => ({ by: 'agent', item: 0, rule, raw });
    // An undo of another one's undo, and a revert of an agent's: what is found rarely by chance.
    await play([
      agent('TRUE'),
      { by: 'one', item: 0, rule: 0, raw: 'FALSE' },
      { by: 'undo of one', item: 0, rule: 0, raw: null },
      { by: 'two', item: 0, rule: 0, raw: 'NA' },
      { by: 'undo of two', item: 0, rule: 0, raw: null },
    ]);
    // Accepted, overwritten and brought back; accepted, taken back, and a suggestion beside it.
    const accepted: Act = { by: 'accepted', item: 0, rule: 0, raw: null };
    await play([
      accepted,
      { by: 'one', item: 0, rule: 0, raw: 'FALSE' },
      { by: 'undo of one', item: 0, rule: 0, raw: null },
      { ...accepted, rule: 1 },
      { by: 'revert', item: 0, rule: 1, raw: null },
    ]);
    await fc.assert(fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 8 }), play), {
      numRuns: lengthOf(2, 20),
      seed: seedOf(20_261_124),
      endOnFailure: true,
    });
  },
);
