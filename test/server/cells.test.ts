import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ListedCell } from '../../src/shared/contract/v1/cells.ts';
import { lengthOf, seedOf } from '../support/length.ts';
import { bootServer, type TestServer } from '../support/server.ts';

const PROFILE = 'crispr_edit_evidence';
const CASE = 'cells';
const OUTCOMES = ['TRUE', 'FALSE', 'NA', 'unrecorded'] as const;
/** One with what an address must escape. */
const ITEMS = ['plate 1/A03 ä', ...Array.from({ length: 119 }, (_, row) => `item-${row + 1}`)];

let server: TestServer;
let rules: string[];
let other: string;

const at = (item: string): string => `/api/v1/cases/${CASE}/items/${encodeURIComponent(item)}`;
const outcomeAt = (row: number, column: number): (typeof OUTCOMES)[number] =>
  OUTCOMES[(row * 7 + column * 3) % 5] ?? 'unrecorded';

beforeAll(async () => {
  server = await bootServer();
  rules = (await server.call('GET', `/api/v1/profiles/${PROFILE}`)).body.rules.map(
    ({ ruleUid }: { ruleUid: string }) => ruleUid,
  );
  const project = await server.call('POST', '/api/v1/projects', { body: { name: 'Cells' } });
  await server.call('POST', '/api/v1/cases', {
    body: { project_id: project.body.project_id, case_uid: CASE, profile_uid: PROFILE },
  });
  other = await server.makeKey({ name: 'other agent' });
  for (const [half, key] of [server.key, other].entries()) {
    const { status } = await server.call('POST', '/api/v1/evidence', {
      key,
      body: {
        case_uid: CASE,
        profile_uid: PROFILE,
        items: ITEMS.map((item_uid, row) => ({
          item_uid,
          evidence: rules.flatMap((rule_uid, column) => {
            const outcome = outcomeAt(row, column);
            return outcome === 'unrecorded' || column % 2 !== half
              ? []
              : [{ rule_uid, raw_outcome: outcome }];
          }),
        })),
      },
    });
    expect(status).toBe(200);
  }
  await server.call('POST', `/api/v1/cases/${CASE}/evidence`, {
    body: {
      profile_uid: PROFILE,
      outcomes: [{ item_uid: ITEMS[3], rule_uid: openRule(3), notes: 'Only a note' }],
    },
  });
}, 60_000);
afterAll(() => server.close());

const openRule = (row: number): string =>
  rules.find((_, column) => outcomeAt(row, column) === 'unrecorded') ?? '';

async function allCells(query: Record<string, string>): Promise<ListedCell[]> {
  const found: ListedCell[] = [];
  let cursor: string | null = null;
  do {
    const words = new URLSearchParams({
      profile_uid: PROFILE,
      ...query,
      ...(cursor !== null && { cursor }),
    });
    const { status, body } = await server.call('GET', `/api/v1/cases/${CASE}/cells?${words}`);
    expect(status).toBe(200);
    expect(body.data.length).toBeLessThanOrEqual(Number(query['limit'] ?? 50));
    found.push(...body.data);
    cursor = body.next_cursor;
  } while (cursor !== null);
  return found;
}

describe('cells of a matrix', () => {
  it('are all pairs of item and rule, each once, in the order of the matrix', async () => {
    const cells = await allCells({ limit: '199' });
    expect(cells.map(({ item_uid, rule_uid }) => [item_uid, rule_uid])).toEqual(
      ITEMS.flatMap((item) => rules.map((rule) => [item, rule])),
    );
    expect(cells.map(({ raw_outcome }) => raw_outcome ?? 'unrecorded')).toEqual(
      ITEMS.flatMap((_, row) => rules.map((__, column) => outcomeAt(row, column))),
    );
    const noted = cells.find(({ notes }) => notes !== null);
    expect(noted).toMatchObject({ item_uid: ITEMS[3], raw_outcome: null, revision: 1 });
    expect(
      cells.filter(({ revision }) => revision === 0).every((cell) => cell.updated_at === null),
    ).toBe(true);
  });

  it('are those alone that are asked for, whatever the page', async () => {
    const all = await allCells({ limit: '200' });
    await fc.assert(
      fc.asyncProperty(
        fc.record(
          {
            outcome: fc.constantFrom(...OUTCOMES),
            item_uid: fc.constantFrom(ITEMS[0]!, ITEMS[7]!),
            rule_uid: fc.constantFrom(rules[0]!, rules[1]!),
            recorded_by_name: fc.constantFrom('test', 'other agent', 'nobody'),
            recorded_by_kind: fc.constantFrom('agent', 'human'),
          },
          { requiredKeys: [] },
        ),
        fc.constantFrom(7, 50, 200),
        async (asked, limit) => {
          const found = await allCells({ ...asked, limit: String(limit) });
          const wanted = all.filter(
            (cell) =>
              (asked.outcome === undefined ||
                (cell.raw_outcome ?? 'unrecorded') === asked.outcome) &&
              (asked.item_uid === undefined || cell.item_uid === asked.item_uid) &&
              (asked.rule_uid === undefined || cell.rule_uid === asked.rule_uid) &&
              (asked.recorded_by_name === undefined ||
                cell.recorded_by?.name === asked.recorded_by_name) &&
              (asked.recorded_by_kind === undefined ||
                cell.recorded_by?.kind === asked.recorded_by_kind),
          );
          expect(found).toEqual(wanted);
        },
      ),
      { numRuns: lengthOf(8, 100), seed: seedOf() },
    );
  });

  it('tell what was written since a moment', async () => {
    const { body } = await server.call('POST', `/api/v1/cases/${CASE}/evidence`, {
      body: {
        profile_uid: PROFILE,
        outcomes: [{ item_uid: ITEMS[90], rule_uid: rules[0], notes: 'Later' }],
      },
    });
    expect(body.changes).toHaveLength(1);
    const { body: cell } = await server.call(
      'GET',
      `${at(ITEMS[90]!)}/outcomes/${rules[0]}?profile_uid=${PROFILE}`,
    );
    expect(await allCells({ since: cell.updated_at })).toContainEqual(cell);
    expect(await allCells({ since: '2100-01-01T00:00:00.000Z' })).toEqual([]);
  });

  it('are read one by one and item by item, by names that an address must escape', async () => {
    const query = `?profile_uid=${PROFILE}`;
    const { body: item, headers } = await server.call('GET', at(ITEMS[0]!) + query);
    const cells = await allCells({ item_uid: ITEMS[0]! });
    expect(item.item.item_uid).toBe(ITEMS[0]);
    expect(item.evidence).toEqual(cells.filter(({ revision }) => revision > 0));
    expect(item.unrecorded).toEqual(
      cells.flatMap(({ raw_outcome, rule_uid }) => (raw_outcome === null ? [rule_uid] : [])),
    );
    const again = await server.call('GET', at(ITEMS[0]!) + query, {
      headers: { 'if-none-match': headers.get('etag')! },
    });
    expect(again.status).toBe(304);
    for (const cell of cells.slice(0, 5))
      expect(
        (await server.call('GET', `${at(ITEMS[0]!)}/outcomes/${cell.rule_uid}${query}`)).body,
      ).toEqual(cell);
    const none = await server.call('GET', `/api/v1/cases/${CASE}/cells${query}&rule_uid=nowhere`);
    expect(none.body).toEqual({ data: [], next_cursor: null });
    for (const missing of [at('nowhere'), `${at(ITEMS[0]!)}/outcomes/nowhere`])
      expect((await server.call('GET', missing + query)).body.error).toBe('not_found');
  });

  it('that are open cost an agent little: the next item is far below 20 KB', async () => {
    const { body, text } = await server.call(
      'GET',
      `/api/v1/cases/${CASE}/cells?profile_uid=${PROFILE}&outcome=unrecorded&limit=1`,
    );
    const item = await server.call('GET', `${at(body.data[0].item_uid)}?profile_uid=${PROFILE}`);
    expect(text.length + item.text.length).toBeLessThan(20_000);
  });
});

it('the events of a case tell each cell once: who, what it was, what it is, and why', async () => {
  const events = `/api/v1/cases/${CASE}/events`;
  const read = async (after: number): Promise<any> =>
    (await server.call('GET', `${events}?after=${after}`)).body;
  let before = await read(0);
  while (before.after < before.latest) before = await read(before.after);
  expect(await read(before.latest)).toEqual({ ...before, data: [] });
  await server.call('POST', `/api/v1/cases/${CASE}/evidence`, {
    key: other,
    body: {
      profile_uid: PROFILE,
      reason: 'Read again',
      outcomes: [{ item_uid: ITEMS[2], rule_uid: rules[1], raw_outcome: 'TRUE' }],
    },
  });
  const { data, latest } = await read(before.latest);
  expect(latest).toBe(before.latest + 1);
  expect(data).toMatchObject([
    {
      seq: latest,
      by: 'other agent',
      kind: 'agent',
      reason: 'Read again',
      field: 'outcome',
      item_uid: ITEMS[2],
      rule_uid: rules[1],
      old: { raw_outcome: outcomeAt(2, 1) },
      new: { raw_outcome: 'TRUE' },
    },
  ]);
  expect((await server.call('GET', '/api/v1/cases/nowhere/events')).body.error).toBe('not_found');
});

describe('two runs', () => {
  it('are started with a short answer where that is preferred, the same when it is repeated', async () => {
    const start = (prefer: string, key: string) =>
      server.call('POST', '/api/v1/runs', {
        body: { case_uid: CASE, profile_uid: PROFILE, run_uid: 'short' },
        headers: { prefer, 'idempotency-key': key },
      });
    const short = await start('respond-async, return=minimal', 'first');
    expect(short.status).toBe(201);
    expect(short.headers.get('preference-applied')).toBe('return=minimal');
    expect(short.text.length).toBeLessThan(5_000);
    const again = await start('return=minimal', 'first');
    expect([again.text, again.headers.get('preference-applied')]).toEqual([
      short.text,
      'return=minimal',
    ]);
    const whole = await start('return=representation', 'second');
    expect(whole.headers.get('preference-applied')).toBeNull();
    const { frozen, result, ...record } = whole.body;
    expect(frozen.items).toHaveLength(ITEMS.length);
    const { items: _, ...figures } = result;
    expect(short.body).toEqual({ ...record, result: figures, reproduced: true });
    const listed = await server.call('GET', '/api/v1/runs');
    expect(
      listed.body.data.find(({ run_uid }: { run_uid: string }) => run_uid === 'short'),
    ).toEqual(short.body);
  });

  it('are compared in pages that hold each changed cell once, and nothing else of the runs', async () => {
    const run = async (run_uid: string): Promise<void> => {
      const { status } = await server.call('POST', '/api/v1/runs', {
        body: { case_uid: CASE, profile_uid: PROFILE, run_uid },
      });
      expect(status).toBe(201);
    };
    await run('before');
    const changed = ITEMS.slice(10, 60).map((item_uid) => ({
      item_uid,
      rule_uid: rules[2],
      raw_outcome: 'NA',
      source_value: 'seen again',
    }));
    await server.call('POST', `/api/v1/cases/${CASE}/evidence`, {
      body: { profile_uid: PROFILE, items: [{ item_uid: 'new' }], outcomes: changed },
    });
    await run('after');
    const first = await server.call('GET', '/api/v1/runs/before/compare/after?limit=30');
    expect(first.body).toMatchObject({
      from: { run_uid: 'before' },
      to: { run_uid: 'after' },
      unlike: [],
      counts: { items_in_both: ITEMS.length, items_added: 1, items_removed: 0, cells: 50 },
      items_added: ['new'],
    });
    const second = await server.call(
      'GET',
      `/api/v1/runs/before/compare/after?limit=30&cursor=${first.body.next_cursor}`,
    );
    expect(second.body.next_cursor).toBeNull();
    expect([...first.body.cells, ...second.body.cells].map(({ item_uid }) => item_uid)).toEqual(
      changed.map(({ item_uid }) => item_uid),
    );
    expect(first.text.length + second.text.length).toBeLessThan(100_000);
    expect((await server.call('GET', '/api/v1/runs/before/compare/none')).body.error).toBe(
      'not_found',
    );
  });
});
