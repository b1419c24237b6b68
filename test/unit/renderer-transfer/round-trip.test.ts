import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CELL_STATES } from '../../../src/shared/domain/outcome.ts';
import {
  buildExport,
  type ExportChoice,
} from '../../../src/renderer/features/transfer/export/export-files.ts';
import { cellCount } from '../../../src/renderer/features/transfer/import/plan.ts';
import {
  createMemorySession,
  type MemoryCell,
  type MemorySession,
} from '../../support/memory-session.ts';
import { NASTY_TEXTS, NASTY_UIDS } from '../../fixtures/names-that-spreadsheets-break.ts';
import { profileOf } from '../renderer-matrix/profile.ts';
import { contentOf, importInto, pace, plan } from './support.ts';

const RULES = 3;
const CHOICE: ExportChoice = {
  content: 'matrix',
  format: 'csv',
  heading: 'uid',
  metadata: true,
  unrecorded: false,
  guarded: true,
  byteOrderMark: true,
};
const empty = (): MemorySession => createMemorySession(profileOf(RULES), []);
const fileOf = async (session: MemorySession, choice: Partial<ExportChoice>): Promise<Blob> =>
  (
    await buildExport(
      session,
      'all',
      { ...CHOICE, ...choice },
      { caseTitle: 'T', madeAt: '2026-01-01T00:00:00.000Z' },
      pace,
    )
  )[0]!.blob;

/** Labels and metadata may hold what uids may not, but not all control characters. */
const okText = NASTY_TEXTS.filter((text) => text.trim() !== '' && text !== '\u0085');
const someText = fc.oneof(
  fc.constantFrom(...okText),
  fc
    .string({ minLength: 1, maxLength: 6 })
    .filter((text) => text.trim() !== '' && !text.includes('\u007f')),
);
const detail = fc.option(someText, { nil: null });
const matrices = fc
  .record({
    uids: fc.uniqueArray(fc.constantFrom(...NASTY_UIDS), { minLength: 1, maxLength: 5 }),
    labels: fc.array(fc.oneof(fc.constant(''), someText), { minLength: 5, maxLength: 5 }),
    metadata: fc.array(
      fc.dictionary(fc.constantFrom('gene', 'a b', 'constructor', 'x|y', '=k'), someText, {
        maxKeys: 3,
      }),
      { minLength: 5, maxLength: 5 },
    ),
    cells: fc.array(
      fc.record({
        raw_outcome: fc.constantFrom(...CELL_STATES),
        source_value: detail,
        notes: detail,
        provenance: fc.option(
          fc.oneof(
            someText,
            fc.constantFrom('{"a":1}', '[', '"q"'),
            fc.record({ source: someText }),
          ),
          { nil: null },
        ),
      }),
      { minLength: 15, maxLength: 15 },
    ),
  })
  .map(({ uids, labels, metadata, cells }) =>
    createMemorySession(
      profileOf(RULES),
      uids.map((item_uid, row) => ({
        item_uid,
        label: labels[row]!,
        item_type: 'item',
        metadata: { ...metadata[row] },
      })),
      cells.slice(0, uids.length * RULES).map((cell, index): MemoryCell => ({
        item: uids[Math.floor(index / RULES)]!,
        rule: `r${(index % RULES) + 1}`,
        ...cell,
      })),
    ),
  );
const matricesWithoutDetails = matrices.map((session) =>
  createMemorySession(
    profileOf(RULES),
    session.items,
    session.items.flatMap(({ item_uid }, row) =>
      session.rules.map((rule, column) => ({
        item: item_uid,
        rule,
        raw_outcome: session.state(row, column),
      })),
    ),
  ),
);

describe.each(['csv', 'tsv', 'xlsx'] as const)('%s', (format) => {
  it('the matrix read into an empty case is the same case', async () => {
    await fc.assert(
      fc.asyncProperty(
        matricesWithoutDetails,
        fc.constantFrom('uid' as const, 'name' as const),
        async (session, heading) => {
          const copy = empty();
          await importInto(await fileOf(session, { format, heading }), copy, { keepsWords: false });
          expect(contentOf(copy)).toEqual(contentOf(session));
        },
      ),
      { numRuns: format === 'xlsx' ? 15 : 40 },
    );
  }, 60_000);

  it.each(['matrix', 'long'] as const)(
    '%s: importing an own export changes nothing',
    async (content) => {
      await fc.assert(
        fc.asyncProperty(matrices, async (session) => {
          const { plan: planned } = await plan(
            await fileOf(session, { format, content, unrecorded: true }),
            session,
            {},
          );
          expect({
            items: planned.items,
            cells: cellCount(planned),
            rejected: planned.rejections.entries,
            overwrites: planned.overwrites.count,
          }).toEqual({ items: [], cells: 0, rejected: [], overwrites: 0 });
        }),
        { numRuns: format === 'xlsx' ? 15 : 40 },
      );
    },
    60_000,
  );

  it('cells with their details read after the matrix give the whole case', async () => {
    await fc.assert(
      fc.asyncProperty(matrices, async (session) => {
        const copy = empty();
        await importInto(await fileOf(session, { format }), copy, { keepsWords: false });
        await importInto(await fileOf(session, { format, content: 'long' }), copy, {
          keepsWords: false,
        });
        expect(contentOf(copy)).toEqual(contentOf(session));
      }),
      { numRuns: format === 'xlsx' ? 15 : 40 },
    );
  }, 60_000);

  it('names that spreadsheets break come back byte for byte', async () => {
    const session = createMemorySession(
      profileOf(RULES),
      NASTY_UIDS.map((item_uid, row) => ({
        item_uid,
        label: okText[row] ?? '',
        item_type: 'item',
        metadata: {},
      })),
    );
    const copy = empty();
    await importInto(await fileOf(session, { format }), copy, { keepsWords: false });
    expect(copy.items.map(({ item_uid, label }) => [item_uid, label])).toEqual(
      session.items.map(({ item_uid, label }) => [item_uid, label]),
    );
  });
});

it('no field of a guarded text file can be run as a formula, and unmarked rows are as they are', async () => {
  const session = createMemorySession(profileOf(1), [
    { item_uid: '=cmd', label: "'=x", item_type: 'item', metadata: {} },
    { item_uid: 'plain', label: "'quoted", item_type: 'item', metadata: {} },
  ]);
  const text = await (await fileOf(session, { byteOrderMark: false, format: 'tsv' })).text();
  expect(text).toBe(
    "item_uid\tlabel\titem_type\tr1\tapostrophes_added\r\n'=cmd\t''=x\titem\t\tyes\r\nplain\t'quoted\titem\t\t\r\n",
  );
});
