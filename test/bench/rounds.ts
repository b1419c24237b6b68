import { layerOf, Play, SECRET } from '../server/rounds/play.ts';
import type { Figure } from './figure.ts';
import { median, time } from './measure.ts';

const ITEMS = Array.from({ length: 1_000 }, (_, index) => `item-${index}`);
const TURNS = 400;
/** Of the shares of turns in which one of two was slower, so much of chance: four deviations. */
const CHANCE = 4 * Math.sqrt(0.25 / TURNS);

/**
 * Whether somebody can tell by waiting that another recorder has written: questions about a sealed
 * layer of 4,000 cells and about one that holds nothing, by turns, by who may read neither.
 */
export async function roundsBench(): Promise<Figure[]> {
  await using play = await Play.begin(undefined, ITEMS);
  const full = await play.open();
  const empty = await play.open();
  for (const rule of play.rules.slice(0, 4))
    await play.record(
      full,
      play.first,
      ITEMS.map((item) => ({ item, rule, outcome: 'TRUE', text: SECRET })),
    );
  const ask = (round: string, question: string): Promise<number> => {
    play.world.server.advance(1_000);
    const stream = encodeURIComponent(layerOf(round, play.firstId));
    return time(() => play.call('GET', `/sync/cases/${stream}/${question}`, play.second));
  };
  const figures: Figure[] = [];
  for (const [what, question] of [
    ['reading the log of a sealed layer', 'changes?after=0'],
    ['its digest', 'digest'],
  ] as const) {
    const [ours, floor]: [number[], number[]] = [[], []];
    let slower = 0;
    for (let turn = -50; turn < TURNS; turn += 1) {
      // Whoever is asked first in a pair alternates.
      const first = await ask(turn % 2 === 0 ? full : empty, question);
      const second = await ask(turn % 2 === 0 ? empty : full, question);
      const [sealed, none] = turn % 2 === 0 ? [first, second] : [second, first];
      // The first ones pay for compiling.
      if (turn < 0) continue;
      ours.push(sealed);
      floor.push(none);
      if (sealed > none) slower += 1;
    }
    const share = slower / TURNS;
    figures.push({
      what: `${what}, refused`,
      ours: `${median(ours).toFixed(2)} ms`,
      floor: `${median(floor).toFixed(2)} ms where there is none`,
      compared: `slower in ${(100 * share).toFixed(1)} % of ${TURNS} turns`,
      gate: `50 % within ${(100 * CHANCE).toFixed(0)} points, which is chance`,
      met: Math.abs(share - 0.5) <= CHANCE,
    });
  }
  return figures;
}
