import { describe, expect, it } from 'vitest';
import { buildExport } from '../../../src/renderer/features/transfer/export/export-files.ts';
import { profileOfFile } from '../../../src/renderer/features/transfer/import/read-qem.ts';
import { createWizard } from '../../../src/renderer/features/transfer/import/wizard.ts';
import { cellCount } from '../../../src/renderer/features/transfer/import/plan.ts';
import { createMemorySession, type MemorySession } from '../../support/memory-session.ts';
import { profileOf } from '../renderer-matrix/profile.ts';
import { contentOf, importInto, pace, plan } from './support.ts';

const RULES = 3;
const plain = profileOf(RULES);
/** Rules with IDs that a published profile may have. */
const PROFILE = {
  ...plain,
  rules: plain.rules.map((rule, at) => ({ ...rule, ruleUid: `rule_${at + 1}` })),
};
const empty = (): MemorySession => createMemorySession(PROFILE, []);
const FULL = createMemorySession(
  PROFILE,
  [
    { item_uid: '007', label: 'Seven', item_type: 'variant', metadata: { gene: 'CFTR' } },
    { item_uid: 'a,"b"', label: '', item_type: 'item', metadata: { constructor: 'x' } },
    { item_uid: 'SEPT2', label: '', item_type: 'item', metadata: {} },
  ],
  [
    {
      item: '007',
      rule: 'rule_1',
      raw_outcome: 'FALSE',
      source_value: '0/1',
      notes: 'seen\ntwice',
    },
    { item: '007', rule: 'rule_2', raw_outcome: 'TRUE', provenance: { doi: '10.1/x' } },
    { item: 'a,"b"', rule: 'rule_3', raw_outcome: 'NA', provenance: 'the lab book' },
  ],
);

async function documentOf(session: MemorySession): Promise<Record<string, unknown>> {
  const [file] = await buildExport(
    session,
    'all',
    {
      ...{ content: 'qem', format: 'csv', heading: 'uid', metadata: true },
      ...{ unrecorded: false, guarded: true, byteOrderMark: true },
    } as const,
    { caseTitle: 'T', madeAt: '2026-01-01T00:00:00.000Z' },
    pace,
  );
  return JSON.parse(await file!.blob.text()) as Record<string, unknown>;
}

describe('a matrix of the public schema', () => {
  it('is the case that it was exported from, unrecorded cells and provenance too', async () => {
    const copy = empty();
    const planned = await importInto(JSON.stringify(await documentOf(FULL)), copy, {
      keepsWords: false,
    });
    expect(planned.rejections.entries).toEqual([]);
    expect(contentOf(copy)).toEqual(contentOf(FULL));
  });

  it('fills, overwrites or leaves what is recorded otherwise, and says which cells it read', async () => {
    const text = JSON.stringify(await documentOf(FULL));
    const other = () =>
      createMemorySession(PROFILE, FULL.items, [
        { item: '007', rule: 'rule_1', raw_outcome: 'NA' },
      ]);
    const [fills, overwrites] = [other(), other()];
    await importInto(text, fills, { meet: 'fill', name: 'qem-matrix.json' });
    await importInto(text, overwrites, { meet: 'overwrite' });
    expect([fills, overwrites].map((session) => session.state(0, 0))).toEqual(['NA', 'FALSE']);
    expect(fills.detail(0, 1).provenance).toEqual({ doi: '10.1/x' });
    expect(fills.state(0, 1)).toBe('TRUE');
    const again = await plan(text, overwrites, { keepsWords: false });
    expect(cellCount(again.plan)).toBe(0);
  });

  const outcome = { item_uid: 'a', rule_uid: 'rule_1', raw_outcome: 'FALSE' };
  const deep = (depth: number): unknown => (depth === 0 ? 1 : { a: deep(depth - 1) });
  it.each([
    ['a bit against its outcome', { outcomes: [{ ...outcome, xij: 0 }] }, 'outcomes.0.xij'],
    ['an outcome of no item', { outcomes: [{ ...outcome, item_uid: 'b' }] }, 'outcomes.0.item_uid'],
    ['an outcome twice', { outcomes: [outcome, outcome] }, 'outcomes.1'],
    ['an outcome that is none', { outcomes: [{ ...outcome, raw_outcome: true }] }, 'raw_outcome'],
    ['an item twice', { items: [{ item_uid: 'a' }, { item_uid: 'a' }] }, 'items.1.item_uid'],
    ['another standard', { standard: 'SGA-QEM-2.0' }, 'standard'],
    ['another profile', { profile_uid: 'another' }, 'under the profile another'],
    ['a member that it does not know', { result: {} }, 'The file is no matrix'],
    ['no items', { items: [] }, 'items'],
    ['a matrix against its outcomes', { matrix: [[1, 0, 1]] }, 'matrix.0.2'],
    ['a matrix without a rule', { matrix: [[1, 0]] }, 'matrix.0.2'],
    ['a matrix of too many items', { matrix: [[1, 0, 0], []] }, 'matrix'],
    [
      'metadata without end',
      { items: [{ item_uid: 'a', metadata: deep(500) }] },
      'items.0.metadata',
    ],
    ['provenance without end', { outcomes: [{ ...outcome, provenance: deep(500) }] }, 'provenance'],
  ])('is refused for %s, with the place', async (_, change, place) => {
    const document = {
      case_uid: 'c',
      profile_uid: PROFILE.profileUid,
      standard: 'SGA-QEM-1.0',
      items: [{ item_uid: 'a' }],
      outcomes: [outcome],
    };
    await expect(plan(JSON.stringify(document), empty())).resolves.toBeDefined();
    const session = empty();
    await expect(importInto(JSON.stringify({ ...document, ...change }), session)).rejects.toThrow(
      place,
    );
    expect(session.items).toEqual([]);
  });

  it('names the profile that it is under, for the studio to open that one instead', async () => {
    const document = {
      ...{ case_uid: 'c', profile_uid: 'another', standard: 'SGA-QEM-1.0' },
      items: [{ item_uid: 'a' }],
      outcomes: [outcome],
    };
    const file = (value: unknown, name = 'qem-matrix.json') =>
      new File([JSON.stringify(value)], name);
    const files = [file(document)];
    const wizard = createWizard(empty());
    await wizard.choose(files);
    expect(wizard.store.getState()).toMatchObject({
      step: 'file',
      problem: expect.stringContaining(PROFILE.name),
      wanted: { profileUid: 'another', files },
    });
    await wizard.choose([file({ ...document, profile_uid: PROFILE.profileUid })]);
    expect(wizard.store.getState()).toMatchObject({ step: 'review', problem: null, wanted: null });
    await expect(profileOfFile(files[0]!)).resolves.toBe('another');
    for (const other of [
      file(document, 'matrix.csv'),
      file({ profile_uid: 'another', items: [] }),
      file({ ...document, profile_uid: '../x' }),
      new File(['{'], 'cut.json'),
    ])
      await expect(profileOfFile(other)).resolves.toBeUndefined();
  });

  it('rejects the outcomes of rules that its profile does not have, one by one', async () => {
    const session = empty();
    const planned = await importInto(
      JSON.stringify({
        ...{ case_uid: 'c', profile_uid: PROFILE.profileUid, standard: 'SGA-QEM-1.0' },
        items: [{ item_uid: 'a' }],
        outcomes: [outcome, { ...outcome, rule_uid: 'rule_9' }],
      }),
      session,
    );
    expect(planned.rejections.entries).toHaveLength(1);
    expect(session.state(0, 0)).toBe('FALSE');
  });
});
