import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  KIND_WORDS as RECORDER_WORDS,
  NOT_HASHED,
} from '../../../src/shared/domain/run-authors.ts';
import { KIND_WORDS as HEADING_WORDS } from '../../../src/shared/domain/heading-words.ts';
import { CELL_STATES, OUTCOME_LABELS, outcomeWords } from '../../../src/shared/domain/outcome.ts';
import { INTERPRETATION_BOUNDARY } from '../../../src/shared/domain/result.ts';
import { type RunRecord, verifyRun } from '../../../src/shared/domain/run.ts';
import { spreadsheetDamage } from '../../../src/shared/domain/spreadsheet-damage.ts';
import { speak, tOf } from '../../../src/renderer/text/t.ts';
import { readGerman } from '../../support/german.ts';
import { testHasher } from '../../support/hasher.ts';
import { contestedInput, sampleRecord } from '../shared/domain/run-sample.ts';

const german = readGerman();
beforeAll(() => speak('de', german));
afterAll(() => speak('en', {}));
/** Some words are the same in both languages. */
const withoutGerman = (words: Iterable<string>): string[] =>
  [...new Set(words)].filter((word) => !Object.hasOwn(german, word) && tOf(word) === word);

/** What is found wrong with a run whose parts contradict one another. */
function problemsOf(change: (run: RunRecord) => void): string[] {
  const run = structuredClone(sampleRecord(contestedInput));
  change(run);
  return verifyRun(run, testHasher).problems.map(({ message }) => message);
}

describe('words of the shared code that pages draw have their German', () => {
  it('outcomes, what a result does not say, authors, and headings of an import', () => {
    const words = [
      ...CELL_STATES.map(outcomeWords),
      ...Object.values(OUTCOME_LABELS),
      INTERPRETATION_BOUNDARY,
      NOT_HASHED,
      ...Object.values(RECORDER_WORDS),
      ...Object.values(HEADING_WORDS),
    ];
    expect(withoutGerman(words)).toEqual([]);
  });

  it('what looks like the work of a spreadsheet', () => {
    const damaged = ['2-Sep', '2.31E+19', '#REF!', '1234567890123450', '42615'];
    const words = damaged.map((text) => spreadsheetDamage(text) ?? text);
    expect(withoutGerman(words)).toEqual([]);
  });

  it('what a run is found to contradict', () => {
    const found = [
      problemsOf((run) => {
        run.case_uid = `${run.case_uid}-2` as typeof run.case_uid;
        run.profile_version = '9.9';
        run.url = '/elsewhere';
      }),
      problemsOf((run) =>
        run.frozen.profile.rules.reverse().forEach((rule, at) => {
          rule.ruleOrder = at + 1;
        }),
      ),
      problemsOf((run) => run.frozen.raw.pop()),
      problemsOf((run) => run.frozen.matrix[0]!.reverse()),
      problemsOf((run) => run.frozen.cells.reverse()),
      problemsOf((run) => void delete run.frozen.contested_reason),
    ];
    for (const problems of found) expect(problems.length).toBeGreaterThan(0);
    expect(withoutGerman(found.flat())).toEqual([]);
  });

  it('what a value must be', () => {
    const asked = globSync(['src/shared/domain/*.ts', 'src/shared/contract/common.ts']).flatMap(
      (file) =>
        [...readFileSync(file, 'utf8').matchAll(/'(Must (?:[^'\\\n]|\\.)*\.)'/g)].map(
          ([, sentence = '']) => sentence,
        ),
    );
    expect(asked.length).toBeGreaterThan(30);
    expect(withoutGerman(asked)).toEqual([]);
  });

  it('what holds a value of the case', () => {
    const asked = globSync(['src/shared/domain/*.ts', 'src/shared/contract/common.ts']).flatMap(
      (file) =>
        [...readFileSync(file, 'utf8').matchAll(/message: `([^`]+\.)`/g)].map(([, sentence = '']) =>
          sentence.replace('${field}', 'ruleUid').replaceAll(/\$\{[^}]+\}/g, '7'),
        ),
    );
    expect(asked.length).toBeGreaterThan(5);
    expect(withoutGerman(asked)).toEqual([]);
    expect(tOf('Has 3 rows for 12 items.')).toBe('Hat 3 Zeilen für 12 Objekte.');
  });
});
