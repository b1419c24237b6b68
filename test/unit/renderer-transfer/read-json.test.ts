import { describe, expect, it } from 'vitest';
import { buildExport } from '../../../src/renderer/features/transfer/export/export-files.ts';
import { createMemorySession } from '../../support/memory-session.ts';
import { profileOf } from '../renderer-matrix/profile.ts';
import { contentOf, importInto, pace } from './support.ts';

const CELL = {
  item_uid: 'a',
  rule_uid: 'r1',
  raw_outcome: 'TRUE',
  matrix_value: 0,
  source_value: '0/1',
  notes: 'seen',
  provenance: { doi: '10.1/x' },
  updated_at: '2026-01-01T00:00:00.000Z',
  updated_by: 'Ada',
  recorded_by: { kind: 'human', name: 'Ada' },
  revision: 2,
  contested: false,
};
const ITEM = {
  item_uid: 'a',
  item_type: 'variant',
  label: 'Alpha',
  metadata: { gene: 'CFTR', n: 2 },
};
const STAMPS = {
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  version: 1,
};
const empty = () => createMemorySession(profileOf(2), []);
/** Rules with IDs that a published profile may have. */
const published = {
  ...profileOf(2),
  rules: profileOf(2).rules.map((rule, at) => ({ ...rule, ruleUid: `rule_${at + 1}` })),
};
const EXPECTED = [
  {
    item_uid: 'a',
    label: 'Alpha',
    item_type: 'variant',
    metadata: { gene: 'CFTR', n: '2' },
    cells: [
      ['TRUE', { source_value: '0/1', notes: 'seen', provenance: { doi: '10.1/x' } }],
      [null, { source_value: null, notes: null, provenance: null }],
    ],
  },
  {
    item_uid: 'b',
    label: '',
    item_type: 'item',
    metadata: {},
    cells: [
      [null, { source_value: null, notes: null, provenance: null }],
      ['NA', { source_value: null, notes: null, provenance: null }],
    ],
  },
];
const SPARE = { item_uid: 'b', rule_uid: 'r2', raw_outcome: 'NA' };

describe('evidence as JSON', () => {
  it.each([
    [
      'an answer of the API',
      JSON.stringify(
        {
          case_uid: 'c',
          profile_uid: 'test',
          profile_version: '1.0',
          profile_digest: 'sha256:0',
          rules: ['r1', 'r2'],
          items: [
            { ...ITEM, position: 1, ...STAMPS, evidence: [CELL] },
            {
              ...{
                item_uid: 'b',
                item_type: 'item',
                label: '',
                metadata: {},
                position: 2,
                ...STAMPS,
              },
              evidence: [{ ...CELL, ...SPARE, source_value: null, notes: null, provenance: null }],
            },
          ],
          summary: {
            ...{ items: 2, rules: 2, recorded: 2, unrecorded: 2 },
            ...{ evidence_present: 0, problem_found: 1, not_available: 1 },
          },
          next_cursor: null,
        },
        null,
        1,
      ),
    ],
    [
      'what an agent sends',
      JSON.stringify({
        case_uid: 'c',
        profile_uid: 'test',
        items: [
          {
            ...ITEM,
            evidence: [
              {
                ...{ rule_uid: 'r1', raw_outcome: 'TRUE', source_value: '0/1', notes: 'seen' },
                provenance: { doi: '10.1/x' },
              },
            ],
          },
        ],
        outcomes: [SPARE],
      }),
    ],
    [
      'lines of items and cells',
      [ITEM, CELL, '', SPARE].map((line) => (line === '' ? '' : JSON.stringify(line))).join('\n'),
    ],
  ])('%s gives the same case', async (_, text) => {
    const session = empty();
    const planned = await importInto(text, session, { keepsWords: false });
    expect(planned.rejections.entries).toEqual([]);
    expect(contentOf(session)).toEqual(EXPECTED);
  });

  it('the description beside a binary matrix gives its raw outcomes back', async () => {
    const session = createMemorySession(
      published,
      ['a', 'b'].map((item_uid) => ({ item_uid, label: '', item_type: 'item', metadata: {} })),
      [
        { item: 'a', rule: 'rule_1', raw_outcome: 'FALSE' },
        { item: 'a', rule: 'rule_2', raw_outcome: 'TRUE' },
        { item: 'b', rule: 'rule_1', raw_outcome: 'NA' },
      ],
    );
    const [, side] = await buildExport(
      session,
      'all',
      {
        ...{ content: 'binary', format: 'csv', heading: 'uid', metadata: false },
        ...{ unrecorded: false, guarded: true, byteOrderMark: true },
      } as const,
      { caseTitle: 'T', madeAt: '2026-01-01T00:00:00.000Z' },
      pace,
    );
    const copy = createMemorySession(published, []);
    await importInto(side!.blob, copy, { keepsWords: false });
    expect(contentOf(copy)).toEqual(contentOf(session));
  });

  it('keeps unrecorded, NA and FALSE apart, and writes where each cell was read', async () => {
    const session = empty();
    await importInto(
      '{"item_uid":"a","evidence":[{"rule_uid":"r1","raw_outcome":"FALSE"},{"rule_uid":"r2","raw_outcome":null}]}\n{"item_uid":"b"}\n',
      session,
      {
        name: 'x.jsonl',
      },
    );
    expect([session.state(0, 0), session.state(0, 1), session.items.length]).toEqual([
      'FALSE',
      null,
      2,
    ]);
    expect(session.detail(0, 0).provenance).toMatchObject({
      source: 'x.jsonl',
      locator: 'line 1, outcome',
    });
  });

  it.each([
    [
      '{"items":[{"item_uid":"a","colour":1}]}',
      /is no evidence as this program writes it, at items\.0/,
    ],
    [
      '{"items":[{"item_uid":"a","evidence":[{"rule_uid":"r1","raw_outcome":true}]}]}',
      /items\.0\.evidence\.0\.raw_outcome/,
    ],
    ['{"item_uid":"a"}\n{"item_uid":\n', /^Line 2 is not valid JSON/],
    ['{"a":', /is not valid JSON/],
    ['[[1]]', /Entry 1 is no evidence/],
    ['{"frozen":1}', /is no evidence as this program writes it/],
  ])('%s is refused with its place', async (text, message) => {
    await expect(importInto(text, empty())).rejects.toThrow(message);
  });

  it('members of any name are only metadata', async () => {
    const session = empty();
    const planned = await importInto(
      '{"items":[{"item_uid":"a","metadata":{"constructor":"x"}},{"item_uid":"toString"}]}',
      session,
    );
    expect(planned.rejections.entries).toEqual([]);
    expect(session.items.map(({ metadata }) => Object.entries(metadata))).toEqual([
      [['constructor', 'x']],
      [],
    ]);
  });
});
