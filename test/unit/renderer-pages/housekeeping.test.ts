import { describe, expect, test } from 'vitest';
import type { CaseCopy } from '../../../src/shared/contract/v1/housekeeping.ts';
import { copiedWords } from '../../../src/renderer/app/housekeeping/copied-words.ts';
import { startOfYesterday } from '../../../src/renderer/app/home/start-of-yesterday.ts';

const copy = (parts: Partial<CaseCopy>): CaseCopy => ({
  case: {} as CaseCopy['case'],
  copied_from: 'original' as CaseCopy['copied_from'],
  items: 0,
  outcomes: 0,
  recorded_by: [],
  conflicts: 0,
  ...parts,
});

describe('housekeeping in words', () => {
  test.each([
    ['Without items.', copy({})],
    ['2 items, nothing recorded.', copy({ items: 2 })],
    [
      '2 items, 52 cells: 40 recorded by Ann, 12 recorded by reader-7 (agent). Of 1 conflict the shown value.',
      copy({
        items: 2,
        outcomes: 52,
        conflicts: 1,
        recorded_by: [
          { kind: 'human', name: 'Ann', outcomes: 40 },
          { kind: 'agent', name: 'reader-7', outcomes: 12 },
        ],
      }),
    ],
  ])('%s', (words, made) => expect(copiedWords(made)).toBe(words));

  test('yesterday begins at its midnight, where the reader is', () => {
    const now = new Date(2026, 10, 23, 14, 5).getTime();
    expect(new Date(startOfYesterday(now)).getTime()).toBe(new Date(2026, 10, 22).getTime());
  });
});
