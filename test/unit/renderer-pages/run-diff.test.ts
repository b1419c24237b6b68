import { describe, expect, it } from 'vitest';
import { signed } from '../../../src/renderer/features/runs/sentences.ts';
import { diffRuns } from '../../../src/shared/domain/run-diff.ts';
import { diffWorking } from '../../../src/renderer/features/runs/compare/working-diff.ts';
import { type FreezeInput, freezeRun, type RunRecord } from '../../../src/shared/domain/run.ts';
import { testHasher } from '../../support/hasher.ts';
import { createMemorySession } from '../../support/memory-session.ts';
import { sampleInput } from '../shared/domain/run-sample.ts';
import { asProject, asRun } from '../../support/ids.ts';

function runOf(input: FreezeInput, uid = 'run_1'): RunRecord {
  return {
    run_uid: asRun(uid),
    case_uid: input.case.case_uid,
    project_id: asProject('prj_1'),
    profile_uid: input.profile.profileUid,
    profile_version: input.profile.version,
    created_at: '2026-11-20T10:00:00.000Z',
    created_by: 'usr_1',
    engine: { name: 'evidence-studio', version: '0.1.0' },
    url: `/studio/runs/${uid}`,
    ...freezeRun(input, testHasher),
  };
}

describe('two runs of a case', () => {
  const from = runOf(sampleInput);

  it('are equal where nothing changed', () => {
    expect(diffRuns(from, runOf(sampleInput, 'run_2'))).toEqual({
      cells: [],
      scores: [],
      rules: from.frozen.rules.map((uid, column) => ({
        uid,
        name: `Rule ${column + 1}`,
        kind: 'same',
        cells: 0,
        from: from.result.rules[column]?.evidence_present,
        to: from.result.rules[column]?.evidence_present,
      })),
      matched: 3,
      itemsAdded: [],
      itemsGone: [],
      rulesAdded: [],
      rulesGone: [],
      unlike: [],
    });
  });

  it('differ by cells, details, scores and items, matched by identifier wherever they stand', () => {
    const to = runOf(
      {
        ...sampleInput,
        items: [
          ...[...sampleInput.items].filter((item) => item.item_uid !== 'item_c'),
          { item_uid: 'item_0', item_type: 'claim', label: 'New', metadata: {}, position: 0 },
        ],
        cells: [
          {
            item_uid: 'item_b',
            rule_uid: 'controls_run',
            raw_outcome: 'FALSE',
            notes: 'Asked for.',
          },
          { item_uid: 'item_a', rule_uid: 'assay_repeated', raw_outcome: 'TRUE' },
          {
            item_uid: 'item_a',
            rule_uid: 'sample_traced',
            raw_outcome: 'FALSE',
            source_value: 'tube 13',
            provenance: { version: 2, tool: 'scanner' },
          },
        ],
      },
      'run_2',
    );
    const diff = diffRuns(from, to);
    expect(diff.cells).toEqual([
      { item: 'item_a', rule: 'sample_traced', from: 'FALSE', to: 'FALSE', details: true },
      { item: 'item_b', rule: 'sample_traced', from: 'FALSE', to: null, details: false },
      { item: 'item_b', rule: 'controls_run', from: 'NA', to: 'FALSE', details: true },
    ]);
    expect(diff.itemsAdded).toEqual(['item_0']);
    expect(diff.itemsGone).toEqual(['item_c']);
    expect(diff.scores).toEqual([]);
    expect(diffRuns(to, from).itemsAdded).toEqual(['item_c']);
  });

  it('say where they are not of one kind', () => {
    const other = runOf({
      ...sampleInput,
      profile: { ...sampleInput.profile, version: '2.0' },
      settings: { prior_alpha: 2, prior_beta: 1, ci_level: 0.9 },
    });
    const { unlike, scores } = diffRuns(from, other);
    expect(unlike).toEqual(['versions', 'settings']);
    expect(scores).toHaveLength(3);
    expect(scores[0]?.change).toBeGreaterThan(0);
  });

  it('tell changes with their sign, and no change as 0', () => {
    expect([signed(0.0312, 3), signed(-0.004, 3), signed(-0.0001, 3), signed(3, 0)]).toEqual([
      '+0.031',
      '−0.004',
      '0',
      '+3',
    ]);
  });
});

describe('a run and the matrix that it was made of', () => {
  const run = runOf(sampleInput);
  const session = createMemorySession(
    sampleInput.profile,
    [...sampleInput.items],
    [...sampleInput.cells].map(
      ({ item_uid: item, rule_uid: rule, raw_outcome, source_value, notes, provenance }) => ({
        item,
        rule,
        raw_outcome,
        ...((source_value ?? null) === null ? {} : { source_value }),
        ...((notes ?? null) === null ? {} : { notes }),
        ...((provenance ?? null) === null ? {} : { provenance }),
      }),
    ),
  );

  it('are equal at first, wherever the rows stand', async () => {
    expect(diffWorking(run, session)).toEqual({ cells: [], itemsAdded: [], itemsGone: [] });
    await session.apply({
      label: 'Moved',
      items: [{ do: 'move', item_uids: ['item_a'], before: null }],
    });
    expect(diffWorking(run, session).cells).toEqual([]);
  });

  it('tell apart an outcome, a detail and unrecorded, and list rows that came and went', async () => {
    await session.apply({
      label: 'Work',
      items: [
        { do: 'remove', item_uid: 'item_c' },
        { do: 'add', item_uid: 'item_0' },
      ],
      cells: [
        { item: 'item_b', rule: 'sample_traced', patch: { raw_outcome: null } },
        { item: 'item_a', rule: 'controls_run', patch: { notes: 'Asked for.' } },
        { item: 'item_0', rule: 'controls_run', patch: { raw_outcome: 'NA' } },
      ],
    });
    const diff = diffWorking(run, session);
    expect(diff).toMatchObject({ itemsAdded: ['item_0'], itemsGone: ['item_c'] });
    expect(
      diff.cells.map(({ item, rule, from, to, details }) => [item, rule, from === to, to, details]),
    ).toEqual([
      ['item_b', 'sample_traced', false, null, false],
      ['item_a', 'controls_run', true, null, true],
    ]);
  });
});
