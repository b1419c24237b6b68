import { afterEach, describe, expect, it } from 'vitest';
import { BesideNews } from '../../../src/renderer/data/replica/beside-news.ts';
import { asCase, asProfile } from '../../support/ids.ts';
import { at, Computer, turns } from './support/windows.ts';

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
  const one = news.watch('a', () => heard.push('a'));
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
  one.stop();
  second();
  expect(heard).toEqual(['a', 'a', 'b', 'a']);
});

it('what came meanwhile is told together, and once', () => {
  let due = (): void => undefined;
  const news = new BesideNews({ after: (_, callback) => ((due = callback), () => undefined) });
  const heard: string[] = [];
  news.watch('a', (of) => heard.push([...of].join()));
  for (const one of ['discussion', 'suggestions', 'suggestions', 'access'] as const)
    news.tell('a', [one]);
  due();
  due();
  expect(heard).toEqual(['discussion', 'suggestions,access']);
});

it('one can be told alone', () => {
  const news = new BesideNews({ after: () => () => undefined });
  const heard: number[] = [];
  const [one] = [0, 1].map((at) => news.watch('a', () => heard.push(at)));
  one!.tell();
  expect(heard).toEqual([0]);
});

let computer: Computer;

const CASE = asCase('case-1');
const PROFILE = { profileUid: asProfile('test_profile'), profileVersion: '1.0' };
const CELL = { profile: PROFILE.profileUid, version: '1.0', rule: 'rule_001', item: 'a' };
const suggest = (source: string): object =>
  computer.upstream.write([
    { register: { kind: 'suggestion', source, ...CELL }, value: null, parents: [] },
  ]);

/** The parts of a page of the case that show something of what stands beside its record. */
function partsOf(layer: Awaited<ReturnType<Computer['layer']>>): number[] {
  const told = [0, 0];
  for (const part of told.keys()) layer.watchBeside(CASE, () => told[part]!++);
  return told;
}

describe('windows of one browser store', () => {
  afterEach(() => computer.end());

  it('each is told of what comes to stand beside the record, and of nothing else', async () => {
    computer = new Computer();
    const windows = [await computer.open({ shared: true }), await computer.open({ shared: true })];
    const told: string[][] = [[], []];
    windows.forEach(({ layer }, index) =>
      layer.watchBeside(CASE, (news) => told[index]!.push([...news].join())),
    );
    const stop = windows[1]!.layer.watchBeside(asCase('case-2'), () => told.push([]));
    const both = (...news: string[]): void => {
      expect(told).toEqual([news, news]);
      for (const of of told) of.length = 0;
    };
    await computer.pass(60_000);
    await windows[1]!.session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    computer.upstream.writeCell('b', 'rule_000', 'FALSE');
    await computer.pass(60_000);
    both();
    suggest('agentskey1');
    await computer.pass(60_000);
    both('suggestions');
    suggest('anotherkey');
    await computer.pass(60_000);
    both();
    await windows[1]!.session.suggest({
      cells: [{ ...at('b', 1), patch: { raw_outcome: 'NA' } }],
    });
    await computer.pass(60_000);
    both('suggestions');
    stop();
  });

  it('where none reads the log, each is told that it has grown', async () => {
    computer = new Computer();
    const layer = await computer.layer({ hints: true });
    let told = 0;
    const stop = layer.watchBeside(CASE, () => (told += 1));
    await computer.pass(2_000);
    const before = told;
    computer.hint(2);
    expect(told - before).toBe(1);
    stop();
    await computer.pass(2_000);
    computer.hint(3);
    expect(told - before).toBe(1);
  });

  it('where one opens, it is told once that the copy is read, and of nothing where it has one', async () => {
    computer = new Computer();
    const first = await computer.layer({ hints: true });
    const told = partsOf(first);
    await first.openMatrix({ caseUid: CASE, ...PROFILE });
    await computer.pass(60_000);
    expect(told).toEqual([1, 1]);
    first.close();
    await computer.pass(1_000);

    const second = await computer.layer({ hints: true });
    const toldThen = partsOf(second);
    await second.openMatrix({ caseUid: CASE, ...PROFILE });
    computer.upstream.writeCell('b', 'rule_000', 'FALSE');
    computer.hint(2);
    await computer.pass(60_000);
    expect(toldThen).toEqual([0, 0]);
  });

  it.each(['the copy is read for the first time', 'there is a copy'])(
    'where one opens, it is told of what comes meanwhile, however it opens: %s',
    async (how) => {
      for (const count of [0, 1, 3, 10, 30]) {
        computer = new Computer();
        if (how === 'there is a copy') {
          const { layer, session } = await computer.open();
          await computer.synced(session);
          layer.close();
          await computer.pass(1_000);
        }
        const layer = await computer.layer({ hints: true });
        let shown = 0;
        const show = (): void => {
          shown = computer.upstream.log.length;
        };
        layer.watchBeside(CASE, show);
        show();
        const opened = layer.openMatrix({ caseUid: CASE, ...PROFILE });
        await turns(count);
        suggest('agentskey1');
        computer.hint(computer.upstream.log.length);
        await computer.pass(60_000);
        await opened;
        expect(shown, `after ${count} turns`).toBe(computer.upstream.log.length);
        computer.end();
      }
    },
  );

  it('where the matrix does not open, it is told of what was hinted at meanwhile', async () => {
    computer = new Computer();
    const layer = await computer.layer({ hints: true });
    await computer.pass(2_000);
    const told = partsOf(layer);
    const opened = layer.openMatrix({
      caseUid: CASE,
      ...PROFILE,
      profileUid: asProfile('of_no_server'),
    });
    const failed = opened.then(
      () => false,
      () => true,
    );
    computer.hint(2);
    await computer.pass(60_000);
    expect(await failed).toBe(true);
    expect(told).toEqual([1, 1]);
  });
});
