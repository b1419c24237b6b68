import { parseJson } from '../../src/server/http/json-scan.ts';
import { parseWith } from '../../src/server/http/issues.ts';
import { recordEvidenceBatch } from '../../src/shared/contract/v1/evidence.ts';
import type { Figure } from './figure.ts';
import { median, time } from './measure.ts';

const CELLS = 10_000;
const TURNS = 15;

const body = JSON.stringify({
  profile_uid: 'x',
  outcomes: Array.from({ length: CELLS }, (_, i) => ({
    item_uid: `item_${i % 2_000}`,
    rule_uid: `rule_number_${i % 50}`,
    raw_outcome: 'FALSE',
    source_value: `value ${i}`,
    notes: 'seen',
  })),
});
/** Nothing in it is right, and every cell says so. */
const bad = {
  case_uid: 'c',
  profile_uid: 'abc',
  items: Array.from({ length: 1_000 }, () => ({
    item_uid: 'a',
    evidence: Array.from({ length: 500 }, () => ({ x: 1, rule_uid: 1, raw_outcome: 1, notes: 1 })),
  })),
};

function refuse(): void {
  try {
    parseWith(recordEvidenceBatch.body!, bad, 'validation_failed');
  } catch {
    return;
  }
  throw new Error('It was taken.');
}

async function medians(works: readonly (() => unknown)[]): Promise<number[]> {
  const times = works.map((): number[] => []);
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const [at, work] of works.entries()) times[at]?.push(await time(work));
  return times.map(median);
}

/** What it takes to read a large request, right or wrong, before anything of it is stored. */
export async function requestsBench(): Promise<Figure[]> {
  const [ours = 0, bare = 0, refused = 0] = await medians([
    () => parseJson(body),
    () => JSON.parse(body),
    refuse,
  ]);
  return [
    {
      what: 'reading the JSON of 10,000 cells, a repeated key refused',
      ours: `${ours.toFixed(1)} ms`,
      floor: `${bare.toFixed(1)} ms, JSON.parse`,
      compared: `${(ours / bare).toFixed(1)} times`,
      gate: 'at most 10 times',
      met: ours <= 10 * bare,
    },
    {
      what: 'refusing 500,000 bad cells',
      ours: `${refused.toFixed(1)} ms`,
      floor: `${bare.toFixed(1)} ms, JSON.parse of 10,000 good ones`,
      compared: `${(refused / bare).toFixed(1)} times`,
      gate: 'under 100 ms',
      met: refused < 100,
    },
  ];
}
