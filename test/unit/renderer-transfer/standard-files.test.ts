import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CELL_STATES } from '../../../src/shared/domain/outcome.ts';
import { matrixContradiction, QemMatrix } from '../../../src/shared/domain/qem-matrix.ts';
import {
  buildExport,
  type ExportContent,
} from '../../../src/renderer/features/transfer/export/export-files.ts';
import { createMemorySession, type MemorySession } from '../../support/memory-session.ts';
import { profileOf } from '../renderer-matrix/profile.ts';
import { pace } from './support.ts';

const RULES = 3;
const ITEMS = ['007', 'SEPT2', 'a,b'];
const ruleAt = (index: number): string => `rule_${(index % RULES) + 1}`;
const profile = profileOf(RULES);
const PROFILE = {
  ...profile,
  rules: profile.rules.map((rule, index) => ({ ...rule, ruleUid: ruleAt(index) })),
};

const sessionOf = (states: readonly (typeof CELL_STATES)[number][]): MemorySession =>
  createMemorySession(
    PROFILE,
    ITEMS.map((item_uid) => ({ item_uid, label: '', item_type: 'item', metadata: {} })),
    states.map((raw_outcome, index) => ({
      item: ITEMS[Math.floor(index / RULES)]!,
      rule: ruleAt(index),
      raw_outcome,
    })),
  );
const EXAMPLE = sessionOf(['FALSE', 'TRUE', 'NA', null, 'FALSE', 'FALSE', 'NA', null, 'TRUE']);

const exported = (session: MemorySession, content: ExportContent) =>
  buildExport(
    session,
    'all',
    {
      content,
      format: 'xlsx',
      heading: 'uid',
      metadata: true,
      unrecorded: false,
      guarded: true,
      byteOrderMark: true,
    },
    { caseTitle: 'T', madeAt: '2026-01-01T00:00:00.000Z' },
    pace,
  );

describe('a file for another program', () => {
  it('has IDs and bits alone for R quantbayes, with the raw outcomes beside it', async () => {
    const [file, description] = await exported(EXAMPLE, 'quantbayes');
    const bytes = new Uint8Array(await file!.blob.arrayBuffer());
    expect(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)).toBe(
      'ID,rule_1,rule_2,rule_3\r\n007,1,0,0\r\nSEPT2,0,1,1\r\n"a,b",0,0,0\r\n',
    );
    expect(file!.name).toBe('memory_quantbayes.csv');
    expect(JSON.parse(await description!.blob.text())).toMatchObject({
      raw_outcomes: { rows: ['FTN', '-FF', 'N-T'] },
    });
  });

  it('has 1, 0 and NA between spaces for the engine', async () => {
    const [file] = await exported(EXAMPLE, 'engine');
    expect(await file!.blob.text()).toBe('1 0 NA\nNA 1 1\nNA NA 0\n');
  });

  it('follows the public schema, with what is recorded and no cell that is not', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .array(fc.constantFrom(...CELL_STATES), { minLength: 9, maxLength: 9 })
          .filter((states) => states.some((state) => state !== null)),
        async (states) => {
          const session = sessionOf(states);
          const [file] = await exported(session, 'qem');
          const document = QemMatrix.parse(JSON.parse(await file!.blob.text()));
          expect(matrixContradiction(document, session.rules)).toBeUndefined();
          expect(
            document.outcomes.map(({ item_uid, rule_uid, raw_outcome }) => [
              item_uid,
              rule_uid,
              raw_outcome,
            ]),
          ).toEqual(
            states.flatMap((state, index) =>
              state === null
                ? []
                : [[ITEMS[Math.floor(index / RULES)], session.rules[index % RULES], state]],
            ),
          );
        },
      ),
      { numRuns: 30 },
    );
  });

  it('is refused in words where the public schema has no form for it', async () => {
    await expect(exported(sessionOf(Array(9).fill(null)), 'qem')).rejects.toThrow(
      'needs at least one recorded outcome',
    );
  });
});

describe('a document of the public schema', () => {
  const DOCUMENT = {
    case_uid: 'c',
    profile_uid: 'profile',
    items: [{ item_uid: 'a' }, { item_uid: 'b' }],
    outcomes: [{ item_uid: 'a', rule_uid: 'rule_1', raw_outcome: 'FALSE', xij: 1 }],
    matrix: [[1], [0]],
  };
  it.each([
    ['a bit that contradicts its outcome', { outcomes: [{ ...DOCUMENT.outcomes[0], xij: 0 }] }],
    ['an outcome of no item', { items: [{ item_uid: 'b' }], matrix: [[0]] }],
    ['two outcomes of a cell', { outcomes: [DOCUMENT.outcomes[0], DOCUMENT.outcomes[0]] }],
    ['two items of one ID', { items: [{ item_uid: 'a' }, { item_uid: 'a' }] }],
    ['a row too few', { matrix: [[1]] }],
    ['another member', { result: 1 }],
  ])('is refused for %s', (_, change) => {
    expect(QemMatrix.safeParse(DOCUMENT).success).toBe(true);
    expect(QemMatrix.safeParse({ ...DOCUMENT, ...change }).success).toBe(false);
  });

  it('is found to contradict itself, by the place', () => {
    const document = QemMatrix.parse({ ...DOCUMENT, matrix: [[1], [1]] });
    expect(matrixContradiction(document, ['rule_1' as never])).toEqual({ row: 1, column: 0 });
  });
});
