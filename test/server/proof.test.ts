import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCase, readRawMatrix, TRIO } from '../support/evidence.ts';
import { bootServer, type TestServer } from '../support/server.ts';

let server: TestServer;
const [rule = ''] = readRawMatrix('m12x5').rules;
beforeAll(async () => {
  server = await bootServer();
});
afterAll(() => server.close());

type Cell = Record<string, unknown>;
/** Both ways of recording a cell over HTTP. */
const WAYS: readonly [
  way: string,
  write: (caseUid: string, cell: Cell) => ReturnType<TestServer['call']>,
][] = [
  [
    'POST /cases/{caseUid}/evidence',
    (caseUid, cell) =>
      server.call('POST', `/api/v1/cases/${caseUid}/evidence`, {
        body: {
          profile_uid: TRIO,
          items: [{ item_uid: 'i' }],
          outcomes: [{ item_uid: 'i', rule_uid: rule, ...cell }],
        },
      }),
  ],
  [
    'POST /evidence',
    (caseUid, cell) =>
      server.call('POST', '/api/v1/evidence', {
        body: {
          case_uid: caseUid,
          profile_uid: TRIO,
          items: [{ item_uid: 'i', evidence: [{ rule_uid: rule, ...cell }] }],
        },
      }),
  ],
];

describe.each(WAYS)('%s', (way, write) => {
  const caseUid = `proof-${way.length}`;
  const shown = async (): Promise<Cell> =>
    (await server.call('GET', `/api/v1/cases/${caseUid}/evidence?profile_uid=${TRIO}`)).body
      .items[0].evidence[0];

  it('V3 keeps source and provenance with their outcome, and with no other; notes stay', async () => {
    await makeCase(server, caseUid);
    await write(caseUid, {
      raw_outcome: 'FALSE',
      source_value: 'p.3',
      provenance: { zebra: 1, model: 'A' },
      notes: 'n',
    });
    await write(caseUid, { notes: 'm' });
    expect(await shown()).toMatchObject({
      raw_outcome: 'FALSE',
      source_value: 'p.3',
      provenance: { zebra: 1, model: 'A' },
      notes: 'm',
    });
    await write(caseUid, { raw_outcome: 'TRUE' });
    expect(await shown()).toMatchObject({
      raw_outcome: 'TRUE',
      source_value: null,
      provenance: null,
      notes: 'm',
    });
    await write(caseUid, { raw_outcome: 'NA', source_value: 'p.9' });
    expect(await shown()).toMatchObject({
      raw_outcome: 'NA',
      source_value: 'p.9',
      provenance: null,
      notes: 'm',
    });
  });

  it('answers provenance with its members in the order in which they were sent', async () => {
    await write(caseUid, {
      raw_outcome: 'NA',
      provenance: { z: { y: 1, x: 2 }, a: [{ d: 1, c: 2 }] },
    });
    const { text } = await server.call(
      'GET',
      `/api/v1/cases/${caseUid}/evidence?profile_uid=${TRIO}`,
    );
    expect(text).toContain('"provenance":{"z":{"y":1,"x":2},"a":[{"d":1,"c":2}]}');
  });
});
