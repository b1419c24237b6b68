import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readExpected, readRawMatrix, TRIO } from '../support/evidence.ts';
import { bootServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await bootServer();
});
afterAll(() => server.close());

const relative = (actual: number, expected: number): number =>
  actual === expected ? 0 : Math.abs(actual - expected) / Math.abs(expected);

/** The figures of the reference have 15 digits. */
function expectClose(
  actual: Record<string, unknown>,
  expected: Record<string, unknown>,
  names: Record<string, string> = {},
): void {
  for (const [name, value] of Object.entries(expected)) {
    const mine = actual[names[name] ?? name];
    if (typeof value === 'number')
      expect(relative(mine as number, value), name).toBeLessThan(1e-12);
    else expect(mine, name).toBe(value);
  }
}

describe("the specification's workflow over HTTP", () => {
  const { rules, rows } = readRawMatrix('m12x5');
  const expected = readExpected('m12x5');
  const runs: string[] = [];

  it('chooses a profile, makes a project and a case', async () => {
    const profiles = await server.call('GET', '/api/v1/profiles');
    expect(profiles.body.data.map((entry: { profileUid: string }) => entry.profileUid)).toContain(
      TRIO,
    );
    const profile = await server.call('GET', `/api/v1/profiles/${TRIO}`);
    expect(profile.body.rules.map((rule: { ruleUid: string }) => rule.ruleUid)).toEqual(rules);
    const project = await server.call('POST', '/api/v1/projects', {
      body: { name: 'Reference', description: 'm12x5', domain: 'clinical_genetics' },
    });
    expect(project.status).toBe(201);
    expect(project.headers.get('location')).toBe(`/api/v1/projects/${project.body.project_id}`);
    expect(project.headers.get('etag')).toBe('"v1"');
    const created = await server.call('POST', '/api/v1/cases', {
      body: {
        project_id: project.body.project_id,
        case_uid: 'm12x5',
        title: 'Reference',
        metadata: { source: 'R' },
      },
    });
    expect(created.status).toBe(201);
    const again = await server.call('POST', '/api/v1/cases', {
      body: { project_id: project.body.project_id, case_uid: 'm12x5' },
    });
    expect([again.status, again.body]).toEqual([200, created.body]);
    expect(
      (await server.call('GET', `/api/v1/cases?project_id=${project.body.project_id}`)).body.data,
    ).toEqual([created.body]);
    for (const [path, { body }] of [
      ['/api/v1/cases/m12x5', created],
      [`/api/v1/projects/${project.body.project_id}`, project],
    ] as const) {
      const one = await server.call('GET', path);
      expect([one.status, one.body]).toEqual([200, body]);
      expect(one.headers.get('etag')).toBe(`"v${body.version}"`);
    }
    for (const path of ['/api/v1/cases/other', `/api/v1/projects/prj_${'0'.repeat(26)}`])
      expect((await server.call('GET', path)).body.error, path).toBe('not_found');
  });

  it('writes half of the matrix as a batch and half as outcomes', async () => {
    const cells = (raw: string[]) =>
      raw.map((raw_outcome, column) => ({ rule_uid: rules[column]!, raw_outcome }));
    const batch = {
      case_uid: 'm12x5',
      profile_uid: TRIO,
      items: rows.slice(0, 6).map(({ item, raw }) => ({ item_uid: item, evidence: cells(raw) })),
    };
    expect((await server.call('POST', '/api/v1/evidence', { body: batch })).body).toMatchObject({
      items_created: 6,
      outcomes_written: 30,
      profile_version: '1.1',
    });
    const rest = {
      profile_uid: TRIO,
      items: rows.slice(6).map(({ item }) => ({ item_uid: item })),
      outcomes: rows
        .slice(6)
        .flatMap(({ item, raw }) => cells(raw).map((cell) => ({ item_uid: item, ...cell }))),
    };
    expect(
      (await server.call('POST', '/api/v1/cases/m12x5/evidence', { body: rest })).body,
    ).toMatchObject({ items_created: 6, outcomes_written: 30 });
    expect(
      (await server.call('POST', '/api/v1/cases/m12x5/evidence', { body: rest })).body,
    ).toMatchObject({
      items_created: 0,
      items_updated: 0,
      outcomes_written: 0,
      outcomes_unchanged: 30,
    });
  });

  it('reads the matrix back, page by page', async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const { body } = await server.call(
        'GET',
        `/api/v1/cases/m12x5/evidence?profile_uid=${TRIO}&limit=5${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      expect(body.summary).toMatchObject({ items: 12, rules: 5, recorded: 60, unrecorded: 0 });
      for (const item of body.items) {
        seen.push(item.item_uid);
        const raw = item.evidence.map((cell: { raw_outcome: string }) => cell.raw_outcome);
        expect(raw).toEqual(rows.find((row) => row.item === item.item_uid)!.raw);
        for (const cell of item.evidence)
          expect(cell.matrix_value).toBe(cell.raw_outcome === 'FALSE' ? 1 : 0);
      }
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(rows.map((row) => row.item));
  });

  it.each(expected.map((entry) => [JSON.stringify(entry.settings), entry] as const))(
    'runs at %s to the reference result',
    async (_, entry) => {
      const { a, b, ci_level } = entry.settings;
      const { status, body, headers } = await server.call('POST', '/api/v1/runs', {
        body: {
          case_uid: 'm12x5',
          profile_uid: TRIO,
          settings: { prior_alpha: a, prior_beta: b, ci_level },
        },
      });
      expect(status).toBe(201);
      expect(headers.get('location')).toBe(`/api/v1/runs/${body.run_uid}`);
      expect(body.url).toBe(`/studio/runs/${body.run_uid}`);
      expectClose(body.result.global, entry.global, { n_variants: 'n_items' });
      expect(body.result.items).toHaveLength(12);
      entry.items.forEach((item: Record<string, unknown>, index: number) =>
        expectClose(body.result.items[index], item, { item_id: 'item_uid' }),
      );
      runs.push(body.run_uid);
    },
  );

  it('keeps every run, and answers a repeated one as the first', async () => {
    const { body } = await server.call('GET', '/api/v1/runs?case_uid=m12x5');
    expect(body.data.map((run: { run_uid: string }) => run.run_uid)).toEqual(runs.toReversed());
    expect(body.data[0]).not.toHaveProperty('frozen');
    const first = await server.call('GET', `/api/v1/runs/${runs[0]}`);
    expect(first.headers.get('etag')).toBe(`"${first.body.content_hash}"`);
    const again = await server.call('POST', '/api/v1/runs', {
      body: {
        case_uid: 'm12x5',
        profile_uid: TRIO,
        run_uid: runs[0],
        settings: first.body.settings,
      },
    });
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(
      (
        await server.call('GET', `/api/v1/runs/${runs[0]}`, {
          headers: { 'if-none-match': first.headers.get('etag')! },
        })
      ).status,
    ).toBe(304);
  });

  it('counts it all in usage', async () => {
    const usage = async () => (await server.call('GET', '/api/v1/usage')).body;
    await expect
      .poll(async () => (await usage()).monthly_totals.at(-1))
      .toMatchObject({ cells_written: 60, runs: expected.length });
    expect(
      (await usage()).recent_events.map((event: { action: string }) => event.action),
    ).toContain('createRun');
  });
});
