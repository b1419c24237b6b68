import { expect, it } from 'vitest';
import { BesideNews } from '../../../src/renderer/data/replica/beside-news.ts';

it('news of a case are heard at once, and then together each second', () => {
  let due: (() => void)[] = [];
  const news = new BesideNews({
    after: (_, callback) => {
      due.push(callback);
      return () => undefined;
    },
  });
  const heard: string[] = [];
  const second = (): void => {
    const now = due;
    due = [];
    for (const callback of now) callback();
  };
  const stop = news.watch('a', () => heard.push('a'));
  news.watch('b', () => heard.push('b'));
  for (let at = 0; at < 10; at += 1) news.tell('a');
  expect(heard).toEqual(['a']);
  second();
  expect(heard).toEqual(['a', 'a']);
  second();
  expect(heard).toEqual(['a', 'a']);
  news.tell('b');
  news.tell('a');
  expect(heard).toEqual(['a', 'a', 'b', 'a']);
  news.tell('a');
  stop();
  second();
  expect(heard).toEqual(['a', 'a', 'b', 'a']);
});
