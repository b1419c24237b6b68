import { expect, it } from 'vitest';
import { EVENT_WORDS, resultWords } from '../../../src/renderer/features/account/event-words.ts';
import { API } from '../../../src/shared/contract/api.ts';

it('every operation has a sentence among the recent events', () => {
  const ids = API.map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(50);
  expect(ids.filter((id) => EVENT_WORDS[id] === undefined)).toEqual([]);
  expect(Object.keys(EVENT_WORDS).filter((id) => !ids.includes(id))).toEqual([]);
});

it('a status is said in a word', () => {
  expect([200, 201, 304, 401, 409, 500].map(resultWords)).toEqual([
    'done',
    'done',
    'nothing new',
    'refused',
    'refused',
    'failed',
  ]);
});
