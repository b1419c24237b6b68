import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cellKey,
  type SentCell,
  Sheet,
  type SheetCell,
  type SheetChange,
} from '../../../src/renderer/features/rounds/sheet.ts';

const NOTHING: SheetCell = { raw_outcome: null, source_value: null, notes: null };
/** As the server does with what is sent of each cell. */
function store(stored: Map<string, SheetCell>, sent: readonly SentCell[]): void {
  for (const { item_uid, rule_uid, provenance: _, ...cell } of sent) {
    const key = cellKey(item_uid, rule_uid);
    const before = stored.get(key) ?? NOTHING;
    const isOther = cell.raw_outcome !== undefined && cell.raw_outcome !== before.raw_outcome;
    stored.set(key, { ...before, ...(isOther && { source_value: null }), ...cell });
  }
}

const cellOf = (item_uid: string, rule_uid: string) => ({ item_uid, rule_uid });
const anyChange: fc.Arbitrary<SheetChange> = fc.record(
  {
    item_uid: fc.constantFrom('a', 'b'),
    rule_uid: fc.constant('r'),
    raw_outcome: fc.constantFrom('TRUE' as const, 'FALSE' as const, 'NA' as const, null),
    source_value: fc.constantFrom('30x', null),
    notes: fc.constantFrom('seen', null),
  },
  { requiredKeys: ['item_uid', 'rule_uid'] },
);

describe('the sheet of a recorder', () => {
  it('reaches the server as it is on screen, whichever tries to save it fail', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyChange, { maxLength: 12 }),
        fc.array(fc.boolean(), { maxLength: 12 }),
        async (changes, failures) => {
          const stored = new Map<string, SheetCell>();
          const left = [...failures];
          const sheet = new Sheet(new Map(), async (sent) => {
            await Promise.resolve();
            if (left.shift() === true) throw new Error('away');
            store(stored, sent);
          });
          for (const [at, change] of changes.entries()) {
            sheet.record(change);
            if (at % 3 === 0) await Promise.resolve();
          }
          while (sheet.state.unsaved > 0) {
            await sheet.save();
            await Promise.resolve();
          }
          expect(stored).toEqual(sheet.state.cells);
        },
      ),
    );
  });

  it('keeps what the same person records of a cell in another window', async () => {
    const stored = new Map<string, SheetCell>();
    const [one, other] = [1, 2].map(
      () =>
        new Sheet(new Map(), (sent) => {
          store(stored, sent);
          return Promise.resolve();
        }),
    );
    const saved = async (sheet: Sheet | undefined, change: Omit<SheetChange, 'item_uid'>) => {
      sheet!.record({ ...change, item_uid: 'a' });
      await expect.poll(() => sheet!.state.unsaved).toBe(0);
      return stored.get(cellKey('a', 'r'));
    };
    await saved(one, { rule_uid: 'r', notes: 'seen' });
    expect(await saved(other, { rule_uid: 'r', raw_outcome: 'TRUE', source_value: '30x' })).toEqual(
      {
        raw_outcome: 'TRUE',
        source_value: '30x',
        notes: 'seen',
      },
    );
    await saved(one, { rule_uid: 'r', notes: 'seen twice' });
    // A source is of the outcome that its window shows.
    await saved(one, { rule_uid: 'r', raw_outcome: 'FALSE' });
    expect(await saved(other, { rule_uid: 'r', source_value: '31x' })).toEqual({
      raw_outcome: 'TRUE',
      source_value: '31x',
      notes: 'seen twice',
    });
  });

  it('keeps what could not be saved, and says why until it is', async () => {
    let isAway = true;
    const sheet = new Sheet(new Map(), () =>
      isAway ? Promise.reject(new Error('away')) : Promise.resolve(),
    );
    sheet.record({ ...cellOf('a', 'r'), raw_outcome: 'TRUE' });
    await expect.poll(() => sheet.state.failure).toBeInstanceOf(Error);
    expect(sheet.state.unsaved).toBe(1);
    isAway = false;
    await sheet.save();
    expect(sheet.state).toMatchObject({ unsaved: 0, failure: undefined });
  });

  it('starts another outcome without the value that proved the one before, and keeps the notes', () => {
    const sheet = new Sheet(
      new Map([
        [cellKey('a', 'r'), { raw_outcome: 'TRUE' as const, source_value: '30x', notes: 'seen' }],
      ]),
      () => Promise.resolve(),
    );
    sheet.record({ ...cellOf('a', 'r'), raw_outcome: 'FALSE' });
    expect(sheet.cell('a', 'r')).toEqual({
      raw_outcome: 'FALSE',
      source_value: null,
      notes: 'seen',
    });
  });
});
