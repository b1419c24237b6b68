import { describe, expect, it } from 'vitest';
import {
  type ColumnPlan,
  freeze,
  hide,
  isPlain,
  orderedRules,
  place,
  PLAIN_COLUMNS,
  show,
  shownRules,
  step,
  widen,
  widthOf,
} from '../../../src/renderer/features/matrix/model/column-plan.ts';

const rules = ['a', 'b', 'c', 'd'];
const shown = (plan: ColumnPlan): string => shownRules(plan, rules).join('');

describe('a plan of columns', () => {
  it("is the profile's order until something is changed", () => {
    expect(shown(PLAIN_COLUMNS)).toBe('abcd');
    expect(isPlain(PLAIN_COLUMNS)).toBe(true);
  });

  it('hides and shows, but never the last rule', () => {
    const two = hide(PLAIN_COLUMNS, rules, ['b', 'd']);
    expect(shown(two)).toBe('ac');
    expect(shown(hide(two, rules, ['a', 'c']))).toBe('c');
    expect(shown(show(two, ['b']))).toBe('abc');
    expect(isPlain(show(two, ['b', 'd']))).toBe(true);
  });

  it('puts frozen rules first, in their order', () => {
    const frozen = freeze(freeze(PLAIN_COLUMNS, 'd', true), 'b', true);
    expect(shown(frozen)).toBe('bdac');
    expect(shown(freeze(frozen, 'b', false))).toBe('dabc');
  });

  it('moves by one place, not over the border of the frozen ones, and over hidden rules', () => {
    expect(shown(step(PLAIN_COLUMNS, rules, 'b', 1)!)).toBe('acbd');
    expect(step(PLAIN_COLUMNS, rules, 'a', -1)).toBeUndefined();
    expect(step(freeze(PLAIN_COLUMNS, 'a', true), rules, 'b', -1)).toBeUndefined();
    expect(shown(step(hide(PLAIN_COLUMNS, rules, ['b']), rules, 'a', 1)!)).toBe('cad');
  });

  it('is plain again when a rule is moved back', () => {
    expect(isPlain(step(step(PLAIN_COLUMNS, rules, 'b', 1)!, rules, 'b', -1)!)).toBe(true);
  });

  it('places a rule before another or last, and freezes what is put among the frozen', () => {
    expect(shown(place(PLAIN_COLUMNS, rules, 'd', 'b'))).toBe('adbc');
    expect(shown(place(PLAIN_COLUMNS, rules, 'a', null))).toBe('bcda');
    const frozen = freeze(freeze(PLAIN_COLUMNS, 'a', true), 'b', true);
    const among = place(frozen, rules, 'd', 'b');
    expect(among.frozen).toContain('d');
    expect(shown(among)).toBe('adbc');
    const out = place(frozen, rules, 'a', null);
    expect(out.frozen).toEqual(['b']);
    expect(shown(out)).toBe('bcda');
  });

  it('keeps widths between the least and the most, and forgets them', () => {
    expect(widen(PLAIN_COLUMNS, 'a', 5).widths).toEqual({ a: 36 });
    expect(widen(PLAIN_COLUMNS, 'a', 5000).widths).toEqual({ a: 480 });
    expect(isPlain(widen(widen(PLAIN_COLUMNS, 'a', 90), 'a', null))).toBe(true);
  });

  it('takes rules that came with a later version of the profile at the end, and passes over those that went', () => {
    expect(orderedRules({ ...PLAIN_COLUMNS, order: ['c', 'gone', 'a'] }, rules)).toEqual([
      'c',
      'a',
      'b',
      'd',
    ]);
  });

  it('has a width only where one was chosen, whatever the rule is called', () => {
    expect(widthOf(PLAIN_COLUMNS, 'constructor')).toBeUndefined();
    expect(widthOf(widen(PLAIN_COLUMNS, 'constructor', 50), 'constructor')).toBe(50);
  });
});
