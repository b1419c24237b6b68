import { describe, expect, it } from 'vitest';
import {
  leftOut,
  pageRule,
  planReport,
  readChoice,
} from '../../../src/renderer/features/runs/report/report-plan.ts';
import type { RunRecord } from '../../../src/shared/domain/run.ts';
import { asRun } from '../../support/ids.ts';

const runOf = (items: number, rules: number, cells = 0) =>
  ({
    frozen: {
      items: Array.from({ length: items }),
      rules: Array.from({ length: rules }),
      cells: Array.from({ length: cells }),
    },
  }) as unknown as RunRecord;

describe('what of a run goes on paper', () => {
  it('is bounded, in items, in cells and in details', () => {
    expect(planReport(runOf(10_000, 50, 5_000), 2_000)).toMatchObject({
      items: 2_000,
      matrix: {
        rows: 800,
        bands: [
          { from: 0, to: 24 },
          { from: 24, to: 48 },
          { from: 48, to: 50 },
        ],
      },
    });
    expect(planReport(runOf(10_000, 50, 5_000), 2_000).details).toHaveLength(200);
    expect(planReport(runOf(3, 500), 100)).toMatchObject({ items: 3, matrix: { rows: 3 } });
    expect(leftOut(3, 3, 'items')).toBe('');
    expect(leftOut(500, 10_000, 'items')).toBe(
      'The first 500 of 10,000 items are printed. The downloads of the run hold all of them.',
    );
  });

  it('is chosen in the address; what is no choice there is the usual', () => {
    expect(readChoice(new URLSearchParams('paper=letter&items=2000'))).toEqual({
      paper: 'letter',
      items: 2_000,
    });
    expect(readChoice(new URLSearchParams('paper=a0&items=9999999'))).toEqual({
      paper: 'a4',
      items: 500,
    });
  });

  it('carries run and hash on each page, and nothing that could end the string', () => {
    expect(pageRule({ run_uid: asRun('run_1'), content_hash: 'sha256:ab' }, 'a4')).toContain(
      'content: "run_1  sha256:ab"',
    );
    expect(pageRule({ run_uid: asRun('a"} @import x\\'), content_hash: '' }, 'letter')).toContain(
      'content: "a import x  "',
    );
  });
});
