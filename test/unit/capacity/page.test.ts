import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { perSecond, usedOf } from '../../bench/capacity/figures.ts';
import { type Outcome, simulate } from '../../bench/capacity/simulation.ts';
import { type Site, SITES, STORMS } from '../../bench/capacity/site.ts';
import { lengthOf } from '../../support/length.ts';

const PAGE = readFileSync(path.resolve(import.meta.dirname, '../../../docs/scaling.md'), 'utf8');
const SEED = 1;
/** The larger ones take a minute. */
const PLAYED = lengthOf(2, SITES.length);

/** The rows of the table below a heading, by the accounts in their first column. */
function rowsBelow(heading: string): Map<number, string[]> {
  const [, below = ''] = PAGE.split(`\n## ${heading}\n`);
  const rows = (below.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => /^\| [\d,]+ \|/.test(line))
    .map((line) => line.slice(2, -2).split(' | '));
  return new Map(rows.map((row) => [numberOf(row[0]!), row]));
}
/** The numbers of a text, without the commas between thousands. */
const numbersOf = (text = ''): number[] =>
  (text.replaceAll(/(?<=\d),(?=\d{3})/g, '').match(/\d+(?:\.\d+)?/g) ?? []).map(Number);
const numberOf = (text: string): number => numbersOf(text)[0]!;
/** As the page rounds: a number is within a step of its last of two or three digits. */
const isAbout = (said: number, played: number): boolean =>
  Math.abs(said - played) <= Math.max(0.05, 0.03 * played);

const needs = rowsBelow('What it needs');
describe.each(SITES.slice(0, PLAYED))('docs/scaling.md on $name', (site: Site) => {
  const [, clients, rates, instances, cores, , , busiest] = needs.get(site.accounts)!;
  const outcome: Outcome = simulate(site, SEED);

  test('names what was played', () => {
    expect(numbersOf(clients)).toEqual([site.desktops, site.agents]);
    expect(numberOf(instances!)).toBe(site.instances);
    expect(numberOf(cores!)).toBe(site.databaseCores);
  });

  test('says how much is asked, and how busy that makes instances and PostgreSQL', () => {
    const [edits, requests] = numbersOf(rates);
    expect([edits, perSecond(site, outcome.edits)]).toSatisfy(([a, b]) => isAbout(a, b));
    expect([requests, perSecond(site, outcome.counts.requests)]).toSatisfy(([a, b]) =>
      isAbout(a, b),
    );
    expect(numbersOf(busiest)).toEqual(
      (['threads', 'database'] as const).map((kind) =>
        Math.round(100 * usedOf(site, outcome, kind)),
      ),
    );
  });
});

const storms = rowsBelow('After an outage');
describe.each(STORMS.slice(1, PLAYED))('docs/scaling.md on $name', (site: Site) => {
  test('says what comes back, and when', () => {
    const [, rate, listening, sent, queue] = storms.get(site.accounts)!;
    const outcome = simulate(site, SEED);
    expect([numberOf(rate!), perSecond(site, outcome.counts.requests)]).toSatisfy(([a, b]) =>
      isAbout(a, b),
    );
    expect(numberOf(listening!)).toBe(Math.round(outcome.listeningAfter! / 1_000));
    expect(numberOf(sent!)).toBe(Math.round(outcome.sentAfter! / 1_000));
    expect(numberOf(queue!)).toBe(
      Math.max(...outcome.stations.threads.map((station) => station.longest)),
    );
  });
});
