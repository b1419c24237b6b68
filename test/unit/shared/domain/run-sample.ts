import type { CellState } from '../../../../src/shared/domain/outcome.ts';
import type { ProfileDocument } from '../../../../src/shared/domain/profile.ts';
import {
  type ContestedHead,
  type FreezeInput,
  freezeRun,
  type RunRecord,
} from '../../../../src/shared/domain/run.ts';
import { testHasher } from '../../../support/hasher.ts';
import { asCase, asProject, asProfile, asRun } from '../../../support/ids.ts';

function rule(ruleOrder: number, ruleUid: string): ProfileDocument['rules'][number] {
  return {
    ruleOrder,
    ruleUid,
    name: `Rule ${ruleOrder}`,
    description: 'What is looked at.',
    evidenceMeaning: 'Seen.',
    problemMeaning: 'Contradicted.',
    notAvailableMeaning: 'Not looked at.',
  };
}

export const sampleProfile: ProfileDocument = {
  name: 'Sample',
  profileUid: asProfile('sample_profile'),
  version: '1.0',
  visibility: 'private',
  domain: 'general',
  standard: 'SGA-QEM-1.0',
  standardVersion: '1.0',
  description: 'A profile for tests.',
  scope: 'Tests only.',
  maintainer: 'Tests',
  // Out of order on purpose: ruleOrder decides.
  rules: [rule(3, 'controls_run'), rule(1, 'sample_traced'), rule(2, 'assay_repeated')],
};

export const sampleInput: FreezeInput = {
  case: {
    case_uid: asCase('case-1'),
    title: 'Case 1',
    description: '',
    case_type: 'general',
    metadata: { batch: 7, tags: ['a', 'β'] },
  },
  profile: sampleProfile,
  items: [
    { item_uid: 'item_b', item_type: 'claim', label: 'B', metadata: {}, position: 2 },
    { item_uid: 'item_a', item_type: 'claim', label: 'A', metadata: { n: 0.1 }, position: 1 },
    { item_uid: 'item_c', item_type: 'claim', label: 'C', metadata: {}, position: 2 },
  ],
  cells: [
    { item_uid: 'item_b', rule_uid: 'controls_run', raw_outcome: 'NA', notes: 'Not asked for.' },
    { item_uid: 'item_a', rule_uid: 'assay_repeated', raw_outcome: 'TRUE' },
    {
      item_uid: 'item_a',
      rule_uid: 'sample_traced',
      raw_outcome: 'FALSE',
      source_value: 'tube 12',
      provenance: { tool: 'scanner', version: 2 },
    },
    {
      item_uid: 'item_c',
      rule_uid: 'sample_traced',
      raw_outcome: null,
      provenance: 'cleared by hand',
    },
    { item_uid: 'item_b', rule_uid: 'sample_traced', raw_outcome: 'FALSE' },
  ],
  settings: { prior_alpha: 1, prior_beta: 1, ci_level: 0.95 },
};

function head(
  name: string,
  raw_outcome: CellState,
  source_value: string | null = null,
): ContestedHead {
  return { entry: `c1_${name}#0`, raw_outcome, source_value, provenance: null };
}

export const contestedInput: FreezeInput = {
  ...sampleInput,
  contested: [
    {
      item_uid: 'item_b',
      rule_uid: 'controls_run',
      heads: [head('c', 'NA')],
      notes: [
        { entry: 'c1_n#0', notes: 'Not asked for.' },
        { entry: 'c1_m#3', notes: null },
      ],
    },
    {
      item_uid: 'item_a',
      rule_uid: 'sample_traced',
      heads: [head('a', 'FALSE', 'tube 12'), head('b', 'TRUE')],
    },
  ],
  contested_reason: 'Both readings are kept for the audit.',
};

export function sampleRecord(input: FreezeInput = sampleInput): RunRecord {
  return {
    run_uid: asRun('run_1'),
    case_uid: input.case.case_uid,
    project_id: asProject('project_1'),
    profile_uid: input.profile.profileUid,
    profile_version: input.profile.version,
    created_at: '2026-01-02T03:04:05.678Z',
    created_by: 'Tester',
    engine: { name: 'evidence-studio', version: '0.1.0' },
    ...freezeRun(input, testHasher),
    url: '/studio/runs/run_1',
  };
}

type Path = readonly (string | number)[];

/** Every leaf of a JSON value (empty arrays and objects included), with its path. */
export function leaves(value: unknown, path: Path = []): { path: Path; value: unknown }[] {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0)
    return [{ path, value }];
  const members: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return members.flatMap(([key, member]) => leaves(member, [...path, key]));
}

/** A copy with the value at `path` replaced. */
export function replaced(value: unknown, path: Path, replacement: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return replacement;
  const copy = structuredClone(value) as Record<string | number, unknown>;
  copy[key] = replaced(copy[key], rest, replacement);
  return copy;
}
