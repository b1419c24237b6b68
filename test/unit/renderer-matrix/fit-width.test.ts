import { expect, it } from 'vitest';
import {
  headingWidth,
  turnedWidth,
  widest,
} from '../../../src/renderer/features/matrix/grid/fit-width.ts';

const measure = (text: string): number => 10 * text.length;

it('is as wide as the widest text, also among very many', () => {
  const texts = Array.from({ length: 20_000 }, (_, index) => `item ${index}`);
  expect(widest([...texts, 'x'.repeat(40)], measure)).toBe(400);
  expect(widest([], measure)).toBe(0);
});

it('gives a heading room for its longest word and all its lines', () => {
  expect(headingWidth('a b', measure)).toBeGreaterThanOrEqual(30 / 3);
  expect(headingWidth('Mycoplasma detected', measure)).toBeGreaterThanOrEqual(100);
  expect(headingWidth('one two three four five six', measure)).toBeGreaterThan(270 / 3);
  expect(turnedWidth('x'.repeat(40), measure)).toBeGreaterThan(turnedWidth('x', measure));
});
