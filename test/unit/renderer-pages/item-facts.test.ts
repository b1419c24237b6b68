import { describe, expect, it } from 'vitest';
import {
  itemFacts,
  itemSentence,
  meaningOf,
  raiseSentence,
} from '../../../src/renderer/features/runs/item/item-facts.ts';
import { cardPath, itemPath } from '../../../src/renderer/features/runs/item/item-path.ts';
import { computeResult } from '../../../src/shared/domain/result.ts';
import { contestedInput, sampleRecord } from '../shared/domain/run-sample.ts';

const run = sampleRecord();

describe('an item of a run', () => {
  const facts = itemFacts(run, 'item_a')!;

  it('has its rules with what was found, what proves it, and what the other outcome would change', () => {
    expect(
      facts.rules.map(({ uid, state, detail }) => [uid, state, detail?.source_value ?? null]),
    ).toEqual([
      ['sample_traced', 'FALSE', 'tube 12'],
      ['assay_repeated', 'TRUE', null],
      ['controls_run', null, null],
    ]);
    const { items, rules, raw } = run.frozen;
    for (const { column, state, flipped } of facts.rules) {
      const { size: _, ...own } = flipped;
      const changed = raw.map((cells, row) =>
        row === facts.row ? cells.with(column, state === 'FALSE' ? 'TRUE' : 'FALSE') : cells,
      );
      const result = computeResult(
        { items: items.map((item) => item.item_uid), rules, raw: changed },
        run.settings,
      );
      expect({ item_uid: 'item_a', ...own }).toEqual(result.items[facts.row]);
    }
  });

  it('says in words what the run says, and what would raise it', () => {
    expect(itemSentence(facts.result, run.result.global)).toBe(
      '1 of 3 rules met. Mean evidence sufficiency 0.400, 95% credible interval 0.068 to 0.806; ' +
        'percentile 83.3 of 3 items.',
    );
    expect(raiseSentence(facts)).toBe(
      'Each of the 2 rules not met would, with its evidence present, raise the mean from 0.400 ' +
        'to 0.600 (+0.200) and the percentile from 83.3 to 100.0. Both together: mean 0.800, ' +
        'percentile 100.0.',
    );
    const met = sampleRecord({
      ...contestedInput,
      cells: run.frozen.rules.map((rule_uid) => ({
        item_uid: 'item_a',
        rule_uid,
        raw_outcome: 'FALSE',
      })),
    });
    expect(raiseSentence(itemFacts(met, 'item_a')!)).toContain('Every rule is met');
  });

  it('names the meaning of each outcome by the profile, and says that nobody recorded one', () => {
    const rule = facts.rules[0]?.rule;
    expect([meaningOf(rule, 'FALSE'), meaningOf(rule, 'TRUE'), meaningOf(rule, 'NA')]).toEqual([
      'Seen.',
      'Contradicted.',
      'Not looked at.',
    ]);
    expect(meaningOf(rule, null)).toContain('Nobody has recorded it');
    expect(meaningOf(undefined, 'TRUE')).toBe('');
  });

  it('is undefined where the run has none of that ID, and has an address whatever its ID', () => {
    expect(itemFacts(run, 'item_z')).toBeUndefined();
    for (const uid of ['..', 'a/b c', 'chr1:12345:A>G', '#?&=+%']) {
      const url = new URL(itemPath('run_1', uid), 'http://studio');
      expect([url.pathname, url.searchParams.get('uid')]).toEqual(['/studio/runs/run_1/item', uid]);
      expect(new URL(cardPath('run_1', uid), 'http://studio').searchParams.get('item')).toBe(uid);
    }
  });
});
