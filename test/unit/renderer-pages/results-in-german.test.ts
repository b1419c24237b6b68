import { afterEach, describe, expect, it } from 'vitest';
import { contestedWords, flipWords } from '../../../src/renderer/features/runs/record.ts';
import { authorsOf } from '../../../src/shared/domain/run-authors.ts';
import { recorderWords } from '../../../src/renderer/features/runs/recorders.ts';
import { reportHtml } from '../../../src/renderer/features/runs/report/report-file.ts';
import { pageRule } from '../../../src/renderer/features/runs/report/report-plan.ts';
import { buildResultCsv } from '../../../src/shared/domain/result-csv.ts';
import { runJson } from '../../../src/shared/domain/run-json.ts';
import { resultSheets } from '../../../src/renderer/features/runs/result-sheets.ts';
import {
  globalSentence,
  rulesSentence,
  settingsSentence,
} from '../../../src/renderer/features/runs/sentences.ts';
import { speak } from '../../../src/renderer/text/t.ts';
import { countRecorded } from '../../../src/shared/domain/run-recorders.ts';
import { readGerman } from '../../support/german.ts';
import { contestedInput, sampleRecord } from '../shared/domain/run-sample.ts';

const run = sampleRecord(contestedInput);
const author = { kind: 'human' as const, name: 'Ada', accepted_by: 'Grace' };
const authors = authorsOf(run, {
  authors: [author],
  cells: `0x${countRecorded(run.frozen.raw)}`,
});

const speakGerman = (): void => speak('de', readGerman());
afterEach(() => speak('en', {}));

describe('a run read in German', () => {
  it('says its result in whole German sentences', () => {
    speakGerman();
    expect(globalSentence(run.result.global, run.frozen.profile)).toMatch(
      /^Über 3 Objekte unter Sample 1\.0 beträgt die mittlere Evidenz-Suffizienz /,
    );
    expect(rulesSentence(run.result.rules, () => 'R', [2, 1, 1, 5])).toMatch(
      /^Evidenz ist in 2 von 9 Zellen vorhanden \(22.2\s?%\)\. Die meisten Probleme, 1, hat „R“ gefunden\.$/,
    );
    expect(settingsSentence(run.settings)).toContain('Beta(1, 1) als Prior');
    expect(recorderWords(author)).toBe('Ada (Person, angenommen von Grace)');
    const [first] = run.frozen.contested ?? [];
    expect(contestedWords(first!)).toBe(
      'item_a, sample_traced: angezeigt als FALSE, Evidenz vorhanden (tube 12), auch erfasst als TRUE, Problem gefunden',
    );
    expect(flipWords(run)(first!)).toMatch(/^Andersherum sind 0 Regeln erfüllt statt 1, /);
  });

  it('prints a German report, also at the edges of its pages', () => {
    speakGerman();
    expect(reportHtml('', '', { title: 'Bericht', run })).toContain('<html lang="de">');
    expect(pageRule(run, 'a4')).toContain(
      '@top-left { content: "Evidence Studio: Evidenz-Suffizienz unter einem Profil, nie Wahrheit"',
    );
  });

  it('is saved as the same files as in English', () => {
    const files = () => [
      buildResultCsv(run, authors),
      runJson(run, authors),
      JSON.stringify(resultSheets(run, authors)),
    ];
    const english = files();
    speakGerman();
    expect(files()).toEqual(english);
    expect(english[0]).toContain('Ada (person, accepted by Grace)');
  });
});
