import { afterAll, describe, expect, it } from 'vitest';
import { buildExport } from '../../../src/renderer/features/transfer/export/export-files.ts';
import { cellCount } from '../../../src/renderer/features/transfer/import/plan.ts';
import { type Calc, findCalc, openCalc } from '../../support/calc.ts';
import { IS_LONG } from '../../support/length.ts';
import { createMemorySession, type MemoryCell } from '../../support/memory-session.ts';
import { NASTY_TEXTS, NASTY_UIDS } from '../../fixtures/names-that-spreadsheets-break.ts';
import { profileOf } from '../renderer-matrix/profile.ts';
import { contentOf, importInto, pace, plan } from './support.ts';

const program = IS_LONG ? findCalc() : undefined;
const calc: Calc | undefined = program === undefined ? undefined : await openCalc(program);
afterAll(() => calc?.close());

const MINUTES = 300_000;
const CHOICE = {
  content: 'matrix',
  format: 'xlsx',
  heading: 'uid',
  metadata: true,
  unrecorded: false,
  guarded: true,
  byteOrderMark: true,
} as const;

/**
 * In a cell Calc keeps LF as the one line end, no tab once it was saved as ODS, and no characters
 * that XML cannot hold.
 */
const labels = NASTY_TEXTS.filter((text) => text.trim() !== '' && !/[\t\r\u0085\ufffe]/.test(text));
const cells = NASTY_UIDS.flatMap((item, row): MemoryCell[] =>
  (['TRUE', 'FALSE', 'NA'] as const).map((raw_outcome, column) => ({
    item,
    rule: `r${((row + column) % 3) + 1}`,
    raw_outcome,
  })),
);
const session = createMemorySession(
  profileOf(4),
  NASTY_UIDS.map((item_uid, row) => ({
    item_uid,
    label: labels[row % labels.length] ?? '',
    item_type: 'item',
    metadata: { note: labels[(row * 7) % labels.length] },
  })),
  cells,
);

describe.skipIf(calc === undefined)('LibreOffice Calc', () => {
  it(
    'shows every name of an exported workbook as it is',
    async () => {
      const [file] = await buildExport(
        session,
        'all',
        CHOICE,
        { caseTitle: 'T', madeAt: '2026-01-01T00:00:00.000Z' },
        pace,
      );
      const text = await calc!.textOf(new Uint8Array(await file!.blob.arrayBuffer()));
      const shown = createMemorySession(profileOf(4), []);
      await importInto(text, shown);
      expect(shown.items.map(({ item_uid }) => item_uid)).toEqual(NASTY_UIDS);
      expect(shown.items.map(({ label }) => label)).toEqual(
        session.items.map(({ label }) => label),
      );
    },
    MINUTES,
  );

  it(
    'saves it again without a change that an import would see',
    async () => {
      const [file] = await buildExport(
        session,
        'all',
        CHOICE,
        { caseTitle: 'T', madeAt: '2026-01-01T00:00:00.000Z' },
        pace,
      );
      const saved = new Blob([
        await calc!.saveAgain(new Uint8Array(await file!.blob.arrayBuffer())),
      ]);
      const { plan: planned } = await plan(saved, session);
      expect({
        items: planned.items,
        cells: cellCount(planned),
        rejected: planned.rejections.entries,
      }).toEqual({ items: [], cells: 0, rejected: [] });
      const copy = createMemorySession(profileOf(4), []);
      await importInto(saved, copy, { keepsWords: false });
      expect(contentOf(copy)).toEqual(contentOf(session));
    },
    MINUTES,
  );
});
