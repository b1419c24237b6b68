import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CaseAudit, type CaseStep } from '../../src/shared/contract/v1/audit.ts';
import { alone } from '../support/alone.ts';
import { makeCase, TRIO } from '../support/evidence.ts';
import { bootServer, type TestServer } from '../support/server.ts';
import { unseenOutcome, wireChange } from '../support/sync-change.ts';

const RULE = 'parents_genotype_missing';

let server: TestServer;
beforeAll(async () => {
  // As it goes out to users: piece by piece.
  server = await bootServer({ server: { validateAnswers: false } });
  await makeCase(server, 'case:1');
});
afterAll(() => server.close());

async function record(
  item: string,
  raw: string | null,
  reason: string,
  more: object = {},
): Promise<void> {
  const body = {
    profile_uid: TRIO,
    items: [{ item_uid: item }],
    outcomes: [{ item_uid: item, rule_uid: RULE, raw_outcome: raw, ...more }],
    reason,
  };
  expect((await server.call('POST', '/api/v1/cases/case:1/evidence', { body })).status).toBe(200);
}
async function exported(): Promise<CaseAudit> {
  return CaseAudit.parse(
    (await server.call('GET', '/api/v1/cases/case:1/audit', { key: server.readKey })).body,
  );
}
const of = (steps: readonly CaseStep[], field: string): CaseStep[] =>
  steps.filter((step) => step.field === field);

describe('the export of a case', () => {
  it('says of every step who, when, old, new and why', async () => {
    await record('item_1', 'TRUE', 'First look', { source_value: '0/1', notes: 'Low depth' });
    await record('item_1', 'FALSE', 'Read again');
    const { case_uid, log, steps } = await exported();
    expect([case_uid, log.seq]).toEqual(['case:1', steps.at(-1)?.seq]);
    expect(of(steps, 'case.title')).toHaveLength(1);
    const [first, second] = of(steps, 'outcome');
    expect(first).toMatchObject({
      by: 'test',
      kind: 'agent',
      reason: 'First look',
      item_uid: 'item_1',
      rule_uid: RULE,
      profile_uid: TRIO,
      old: null,
      new: { raw_outcome: 'TRUE', source_value: '0/1' },
      applied: true,
      sent_by: null,
    });
    expect(second).toMatchObject({
      reason: 'Read again',
      old: { raw_outcome: 'TRUE', source_value: '0/1' },
      new: { raw_outcome: 'FALSE' },
    });
    expect(of(steps, 'notes')).toMatchObject([{ old: null, new: 'Low depth' }]);
  });

  it('says who sent what another wrote, and keeps what it does not understand', async () => {
    const cell = { profile: TRIO, version: '1.1', rule: RULE, item: 'item_1' };
    const changes = [
      wireChange('case:1', 'usr_away', [
        unseenOutcome(cell, 'NA'),
        { op: 'set', parents: [], reg: 'future/thing', value: 1 },
      ]),
    ];
    expect(
      (
        await server.call('POST', '/api/v1/sync/cases/case:1/push', {
          key: server.syncKey,
          body: { protocol: 1, changes },
        })
      ).status,
    ).toBe(200);
    const { steps } = await exported();
    expect(steps.slice(-2)).toMatchObject([
      {
        user: 'usr_away',
        sent_by: {
          name: server.deps.store.local.user_name,
          key_name: 'studio',
          key_id: server.syncKey.slice(4, 14),
        },
        relayed: true,
        field: 'outcome',
        old: null,
        applied: true,
      },
      { field: 'future/thing', new: 1, applied: false },
    ]);
  });

  it('is delimited text that no spreadsheet runs', async () => {
    await record('item_2', 'NA', '=HYPERLINK("http://x")', {
      notes: '@cmd, "quoted"',
      provenance: { source: '+1' },
    });
    const { text, headers } = await server.call('GET', '/api/v1/cases/case:1/audit?format=csv', {
      key: server.readKey,
    });
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="history_case_1.csv"');
    expect(text.split('\r\n')[0]).toBe(
      'seq,index,at,received_at,clock_differs,by,user,kind,key_id,sent_by,sent_by_user,' +
        'sent_by_key,sent_by_key_name,relayed,reason,field,item_uid,rule_uid,profile_uid,' +
        'profile_version,run_uid,old,new,old_source,new_source,applied,change,recorded_by,' +
        'recorded_by_kind,recorded_by_key_id,accepted_by,restores',
    );
    expect(text).toContain(`"'=HYPERLINK(""http://x"")"`);
    expect(text).toContain(`"'@cmd, ""quoted"""`);
    expect(text).toContain('"{""provenance"":{""source"":""+1""}');
    expect(text.trimEnd().split('\r\n')).toHaveLength((await exported()).steps.length + 1);
  });

  it('goes through a long log piece by piece', async () => {
    await makeCase(server, 'long');
    for (let nth = 0; nth < 120; nth += 1)
      await server.call('POST', '/api/v1/cases/long/evidence', {
        body: {
          profile_uid: TRIO,
          items: [{ item_uid: 'a' }],
          outcomes: [
            { item_uid: 'a', rule_uid: RULE, raw_outcome: nth % 2 === 0 ? 'TRUE' : 'FALSE' },
          ],
        },
      });
    const { steps } = CaseAudit.parse((await server.call('GET', '/api/v1/cases/long/audit')).body);
    const outcomes = of(steps, 'outcome');
    expect(outcomes).toHaveLength(120);
    expect(
      outcomes
        .slice(1)
        .every((step, at) => JSON.stringify(step.old) === JSON.stringify(outcomes[at]?.new)),
    ).toBe(true);
  });

  alone('is handed out by a store that takes no writes too', async () => {
    const { account_id } = server.deps.store.local;
    const { seq } = await server.deps.store.read((reader) => reader.auditTrail.head(account_id));
    const health = vi
      .spyOn(server.deps.store, 'health')
      .mockReturnValue({ ok: false, read_only: 'The disk is gone.' });
    expect((await exported()).steps.length).toBeGreaterThan(3);
    health.mockRestore();
    expect((await server.deps.store.read((reader) => reader.auditTrail.head(account_id))).seq).toBe(
      seq,
    );
  });

  it('is told of in the audit trail, and not to others', async () => {
    const { account_id } = server.deps.store.local;
    const last = await server.deps.store.read((reader) =>
      reader.auditTrail.list(account_id, { limit: 1, cursor: undefined }),
    );
    expect(last.data).toMatchObject([
      {
        action: 'case.exported',
        object: 'long',
        detail: { format: 'json' },
        by: { kind: 'agent' },
      },
    ]);
    expect((await server.call('GET', '/api/v1/cases/none/audit')).body.error).toBe('not_found');
    expect((await server.call('GET', '/api/v1/cases/long/audit?format=xml')).status).toBe(400);
    expect((await server.call('GET', '/api/v1/cases/long/audit', { key: null })).status).toBe(401);
  });
});
