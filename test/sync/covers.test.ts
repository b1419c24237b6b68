import { expect, it } from 'vitest';
import { readCovers, writeCovers } from '../../src/sync/covers.ts';

const id = (letter: string): string => `c1_${letter.repeat(43)}`;

it('V6 covers are written as ranges by change, and read as they were meant', () => {
  const heads = [
    [id('b'), 7],
    [id('a'), 2],
    [id('a'), 0],
    [id('a'), 1],
    [id('a'), 9],
    [id('a'), 9],
  ] as const;
  const covers = writeCovers(heads);
  expect(covers).toEqual([`${id('a')}#0-2`, `${id('a')}#9`, `${id('b')}#7`]);
  expect([...readCovers(covers)]).toEqual([
    [
      id('a'),
      [
        [0, 2],
        [9, 9],
      ],
    ],
    [id('b'), [[7, 7]]],
  ]);
  expect([...readCovers(['', 'c1_short#1', `${id('a')}#x`])]).toEqual([]);
});
