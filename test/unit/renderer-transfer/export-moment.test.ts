import { expect, it } from 'vitest';
import {
  buildExport,
  type ExportChoice,
} from '../../../src/renderer/features/transfer/export/export-files.ts';
import type { ExportPart } from '../../../src/renderer/features/transfer/export/sheets.ts';
import { createMemorySession, type MemorySession } from '../../support/memory-session.ts';
import { profileOf } from '../renderer-matrix/profile.ts';

const RULES = 3;
const uids = ['a', 'b', 'c', 'd', 'e', 'f'];
const rules = profileOf(RULES).rules.map((rule) => rule.ruleUid);
const STATES = ['TRUE', 'FALSE', 'NA', null] as const;

function sessionNow(): MemorySession {
  const items = uids.map((item_uid, row) => ({
    item_uid,
    item_type: 'item',
    label: `Label ${item_uid}`,
    metadata: { batch: row },
  }));
  const cells = uids.flatMap((item, row) =>
    rules.map((rule, column) => ({
      item,
      rule,
      raw_outcome: STATES[(row * RULES + column) % 4]!,
      notes: `${item} ${rule}`,
      source_value: `${row}/${column}`,
    })),
  );
  return createMemorySession(profileOf(RULES), items, cells);
}

/** What others do, one after another and then again. */
const BY_OTHERS: readonly ((session: MemorySession, turn: number) => unknown)[] = [
  (session, turn) =>
    session.receiveItems([
      { do: 'add', item_uid: `new ${turn}`, before: session.items[0]!.item_uid },
    ]),
  (session) =>
    session.write('', [{ item: session.items[2]!.item_uid, rule: rules[1]! }], {
      raw_outcome: 'NA',
      notes: 'theirs',
    }),
  (session) =>
    session.receiveItems([
      { do: 'move', item_uids: [session.items.at(-1)!.item_uid], before: 'b' },
      { do: 'set', item_uid: 'd', label: 'theirs', metadata: { other: 'theirs' } },
    ]),
  (session) =>
    session.items.some(({ item_uid }) => item_uid === 'c')
      ? session.receiveItems([{ do: 'remove', item_uid: 'c' }])
      : undefined,
];

const PARTS: readonly ExportPart[] = [
  'all',
  { items: ['d', 'c', 'f'], rules: [rules[2]!, rules[0]!] },
];
const CHOICES: readonly Pick<ExportChoice, 'content' | 'format'>[] = [
  { content: 'matrix', format: 'csv' },
  { content: 'matrix', format: 'xlsx' },
  { content: 'long', format: 'tsv' },
  { content: 'binary', format: 'csv' },
  { content: 'binary', format: 'xlsx' },
  { content: 'quantbayes', format: 'csv' },
  { content: 'engine', format: 'csv' },
  { content: 'qem', format: 'csv' },
];

it.each(CHOICES)(
  'an export is of one moment, each outcome beside its own item, whatever others do while it is made: $content, $format',
  async ({ content, format }) => {
    const choice: ExportChoice = {
      content,
      format,
      heading: 'uid',
      metadata: true,
      unrecorded: true,
      guarded: true,
      byteOrderMark: false,
    };
    const facts = { caseTitle: 'T', madeAt: '2026-01-01T00:00:00.000Z' };
    const filesOf = async (
      part: ExportPart,
      pace: (session: MemorySession) => Promise<void>,
    ): Promise<unknown> => {
      const session = sessionNow();
      const files = await buildExport(session, part, choice, facts, () => pace(session));
      return Promise.all(
        files.map(async ({ name, blob }) => [
          name,
          Buffer.from(await blob.arrayBuffer()).toString(),
        ]),
      );
    };
    for (const part of PARTS) {
      let turn = 0;
      expect(
        await filesOf(part, async (session) => {
          await BY_OTHERS[turn % BY_OTHERS.length]!(session, turn);
          turn += 1;
        }),
      ).toEqual(await filesOf(part, () => Promise.resolve()));
      expect(turn).toBeGreaterThan(1);
    }
  },
);

it('what is shown is exported as these items and rules, also where rows have come and gone since', async () => {
  const session = sessionNow();
  const part = { items: ['d', 'c', 'f'], rules: [rules[2]!] };
  session.receiveItems([
    { do: 'add', item_uid: 'new', before: 'a' },
    { do: 'remove', item_uid: 'c' },
  ]);
  const [file] = await buildExport(
    session,
    part,
    {
      content: 'matrix',
      format: 'csv',
      heading: 'uid',
      metadata: false,
      unrecorded: true,
      guarded: false,
      byteOrderMark: false,
    },
    { caseTitle: 'T', madeAt: '2026-01-01T00:00:00.000Z' },
    () => undefined,
  );
  expect((await file!.blob.text()).trim().split(/\r?\n/)).toEqual([
    `item_uid,label,item_type,${rules[2]}`,
    'd,Label d,item,',
    'f,Label f,item,FALSE',
  ]);
});
