import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyBlock } from '../../../src/renderer/features/matrix/clipboard/copy.ts';
import { planned, planPaste } from '../../../src/renderer/features/matrix/clipboard/plan.ts';
import { readText } from '../../../src/renderer/features/matrix/clipboard/read-text.ts';
import { createView } from '../../../src/renderer/features/matrix/model/view.ts';
import { CELL_STATES } from '../../../src/shared/domain/outcome.ts';
import { createMemorySession } from '../../support/memory-session.ts';
import { cell, profileOf, sessionOf } from './profile.ts';

const rect = (top: number, left: number, bottom = top, right = left) => ({
  top,
  left,
  bottom,
  right,
});

describe('a copy', () => {
  const session = sessionOf(4, 3, [
    { ...cell(1, 1), raw_outcome: 'TRUE' },
    { ...cell(2, 2), raw_outcome: 'NA' },
    { ...cell(3, 1), raw_outcome: 'FALSE' },
  ]);
  const view = createView(session, () => true);

  it('has TRUE, FALSE, NA, and nothing for unrecorded', () => {
    const { text, html, cells } = copyBlock(rect(0, 0, 1, 1), view, session, false);
    expect(text).toBe('TRUE\t\n\tNA');
    expect(html).toBe(
      '<meta charset="utf-8"><table><tr><td>TRUE</td><td></td></tr><tr><td></td><td>NA</td></tr></table>',
    );
    expect(cells).toBe(4);
  });

  it('ends a line only where an unrecorded cell alone would be lost', () => {
    expect(copyBlock(rect(2, 0, 3, 0), view, session, false).text).toBe('FALSE\n\n');
    expect(copyBlock(rect(3, 0), view, session, false).text).toBe('\n');
    expect(copyBlock(rect(0, 0), view, session, false).text).toBe('TRUE');
  });

  it('takes the rows and columns shown, and counts what is hidden between them', () => {
    const part = createView(session, (row) => row !== 1, { columns: [2, 0] });
    expect(copyBlock(rect(0, 0, 1, 1), part, session, false)).toMatchObject({
      text: '\tTRUE\n\tFALSE',
      hiddenRows: 1,
      hiddenColumns: 1,
    });
  });

  it('with headers names items and rules', () => {
    expect(copyBlock(rect(0, 1, 1, 2), view, session, true).text).toBe(
      'item_uid\tlabel\tr2\tr3\ni1\tLabel 1\t\t\ni2\tLabel 2\tNA\t',
    );
  });

  it('escapes what HTML, tabs, quotes and formulas would make of names', () => {
    const named = createMemorySession(profileOf(1), [
      { item_uid: '=a<b>&"c"', item_type: 'item', label: 'x\ty', metadata: {} },
    ]);
    const { text, html } = copyBlock(
      rect(0, 0),
      createView(named, () => true),
      named,
      true,
    );
    expect(text).toBe('item_uid\tlabel\tr1\n"\'=a<b>&""c"""\t"x\ty"\t');
    expect(html).toContain('>&#39;=a&lt;b&gt;&amp;&quot;c&quot;</th>');
  });

  it('leaves HTML away from very many cells without names', () => {
    const large = sessionOf(1_000, 101);
    const all = createView(large, () => true);
    expect(copyBlock(rect(0, 0, 999, 100), all, large, false).html).toBeUndefined();
    expect(copyBlock(rect(0, 0, 999, 100), all, large, true).html).toBeDefined();
  });

  it('pasted back changes nothing, and into an empty matrix makes the same one; by name in any order', () => {
    const uid = fc.oneof(
      fc.stringMatching(/^['=+\-@]{0,2}[A-Za-z0-9"<&]{1,6}$/),
      fc.constantFrom(
        'SEPT2',
        '2310009E13',
        '1-Mar',
        '1e5',
        '-5',
        '12345678901234567890',
        'a\u00A0b',
      ),
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(uid, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.constantFrom(...CELL_STATES), { minLength: 20, maxLength: 20 }),
        fc.boolean(),
        (uids, width, states, names) => {
          const items = uids.map((item_uid) => ({
            item_uid,
            item_type: 'item',
            label: `label\t"of" ${item_uid}`,
            metadata: {},
          }));
          const [from, to] = [
            createMemorySession(profileOf(width), items),
            createMemorySession(profileOf(width), names ? items.toReversed() : items),
          ];
          from.fill((row, column) => states[row * width + column] ?? null);
          const { text } = copyBlock(
            rect(0, 0, uids.length - 1, width - 1),
            createView(from, () => true),
            from,
            names,
          );
          const table = readText(text);
          expect(
            planned(
              planPaste(table, { rects: [rect(0, 0)], view: createView(from, () => true) }, from),
            ),
          ).toMatchObject({ fresh: 0, overwritten: 0, rejected: 0, outside: 0 });
          const plan = planned(
            planPaste(table, { rects: [rect(0, 0)], view: createView(to, () => true) }, to),
          );
          const [area] = plan.areas;
          for (const [at, code] of area!.codes.entries()) {
            const [row, column] = [
              area!.rows.to[Math.floor(at / width)]!,
              area!.columns.to[at % width]!,
            ];
            const state = from.state(from.rowOf(to.items[row]!.item_uid), column);
            expect(code).toBe(state === null ? 255 : CELL_STATES.indexOf(state));
          }
          expect(plan.fresh).toBe(
            states.slice(0, uids.length * width).filter((state) => state !== null).length,
          );
        },
      ),
    );
  });
});
