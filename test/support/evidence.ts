import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { Json } from './json.ts';
import type { TestServer } from './server.ts';

export const TRIO = 'trio_rare_disease';
const REFERENCE = path.resolve(import.meta.dirname, '../fixtures/reference');

export interface RawMatrix {
  rules: string[];
  rows: { item: string; raw: string[] }[];
}

/** A reference matrix: first column item_id, then one column a rule. */
export function readRawMatrix(name: string): RawMatrix {
  const [header = '', ...lines] = readFileSync(path.join(REFERENCE, `${name}_raw.csv`), 'utf8')
    .trim()
    .split(/\r?\n/);
  return {
    rules: header.split(',').slice(1),
    rows: lines.map((line) => {
      const [item = '', ...raw] = line.split(',');
      return { item, raw };
    }),
  };
}

export function readExpected(name: string): Json[] {
  return JSON.parse(readFileSync(path.join(REFERENCE, `${name}_expected.json`), 'utf8')) as Json[];
}

/** A project with one case of the given uid; answers the project's id. */
export async function makeCase(
  { call }: Pick<TestServer, 'call'>,
  case_uid: string,
  project = 'Project',
): Promise<string> {
  const { body } = await call('POST', '/api/v1/projects', { body: { name: project } });
  expect(
    (await call('POST', '/api/v1/cases', { body: { project_id: body.project_id, case_uid } }))
      .status,
  ).toBe(201);
  return body.project_id as string;
}

/** One item with one recorded cell in a case. */
export function recordCell(
  { call }: Pick<TestServer, 'call'>,
  case_uid: string,
  item_uid = 'item_1',
  raw_outcome: string | null = 'FALSE',
) {
  return call('POST', '/api/v1/evidence', {
    body: {
      case_uid,
      profile_uid: TRIO,
      items: [{ item_uid, evidence: [{ rule_uid: 'parents_genotype_missing', raw_outcome }] }],
    },
  });
}
