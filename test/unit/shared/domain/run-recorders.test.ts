import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countRecorded,
  type Recorder,
  RecorderRuns,
  recordersByCell,
  recordersProblem,
  RunRecorders,
  withoutKeys,
} from '../../../../src/shared/domain/run-recorders.ts';
import { asKey } from '../../../support/ids.ts';

const author: fc.Arbitrary<Recorder> = fc.record(
  {
    kind: fc.constantFrom('human', 'agent', 'import'),
    name: fc.constantFrom('Ada', 'Bo', ''),
    key_id: fc.constantFrom(asKey('k1'), asKey('k2')),
  },
  { requiredKeys: ['kind', 'name'] },
);
const matrix = fc.integer({ min: 1, max: 4 }).chain((width) =>
  fc.array(fc.array(fc.option(fc.nat(3)), { minLength: width, maxLength: width }), {
    minLength: 1,
    maxLength: 30,
  }),
);

/** A matrix of authors' places, its outcomes, and what is stated of it. */
const sample = fc
  .record({ places: matrix, authors: fc.array(author, { minLength: 4, maxLength: 4 }) })
  .map(({ places, authors }) => {
    const used = [...new Set(places.flat().filter((place) => place !== null))];
    const runs = new RecorderRuns();
    for (const place of places.flat()) if (place !== null) runs.add(used.indexOf(place));
    return {
      wanted: places.flat().map((place) => (place === null ? null : authors[place]!)),
      raw: places.map((row) => row.map((place) => (place === null ? null : 'TRUE'))),
      stated: { authors: used.map((place) => authors[place]!), cells: runs.finish() },
    };
  });

describe('who recorded the outcomes of a run', () => {
  it('F8 is read as it was stated, cell by cell', () => {
    fc.assert(
      fc.property(sample, ({ wanted, raw, stated }) => {
        expect(RunRecorders.parse(JSON.parse(JSON.stringify(stated)))).toEqual(stated);
        expect(recordersProblem(stated, countRecorded(raw))).toBeUndefined();
        expect(
          Array.from(recordersByCell(stated, raw) ?? [], (place) =>
            place === -1 ? null : stated.authors[place],
          ),
        ).toEqual(wanted);
      }),
      { seed: 11, numRuns: 300 },
    );
  });

  it('F8 without keys names the same people and programs, each once', () => {
    fc.assert(
      fc.property(sample, ({ wanted, raw, stated }) => {
        const seen = withoutKeys(stated);
        expect(recordersProblem(seen, countRecorded(raw))).toBeUndefined();
        expect(new Set(seen.authors.map((one) => JSON.stringify(one))).size).toBe(
          seen.authors.length,
        );
        expect(
          Array.from(recordersByCell(seen, raw) ?? [], (place) =>
            place === -1 ? null : seen.authors[place],
          ),
        ).toEqual(wanted.map((one) => (one === null ? null : { kind: one.kind, name: one.name })));
      }),
      { seed: 12, numRuns: 300 },
    );
  });

  it('F8 that does not fit a matrix is refused, and nobody is named', () => {
    fc.assert(
      fc.property(
        sample,
        fc.constantFrom('more', 'fewer', 'unknown', 'unused', 'text'),
        ({ raw, stated: { authors, cells } }, how) => {
          const with0 = (text: string): string => (cells === '' ? text : `${cells},${text}`);
          const wrong = {
            more: { authors, cells: with0('0') },
            fewer: { authors, cells: cells.replace(/(^|,)[^,]*$/, '') },
            unknown: { authors, cells: with0(String(authors.length)) },
            unused: { authors: [...authors, { kind: 'human' as const, name: 'Cy' }], cells },
            text: { authors, cells: `${cells},` },
          }[how];
          fc.pre(JSON.stringify(wrong) !== JSON.stringify({ authors, cells }));
          expect(recordersProblem(wrong, countRecorded(raw))?.path).toMatch(/^\/recorders\//);
          expect(recordersByCell(wrong, raw)).toBeUndefined();
        },
      ),
      { seed: 13, numRuns: 300 },
    );
  });
});
