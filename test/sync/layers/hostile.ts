import type { Author, Entry } from '../../../src/sync/change.ts';
import { formatRegister, layerStream } from '../../../src/sync/register.ts';
import { asCase } from '../../support/ids.ts';
import { A, B, C, CASE, CELLS, G, idOf, L, X } from './cast.ts';
import { type Act, recordReg, termsOf } from './commands.ts';
import type { Store } from './store.ts';
import type { World } from './world.ts';

/**
 * What somebody tries who is not content with their part: an agent with a key that may write, and
 * the owner of a studio, whose key brings what others wrote there.
 */
export function attack(world: World, { b, c }: Act): void {
  const tries = [...byAgent(world, b, c), ...byStudio(world, b, c)];
  const one = tries[c % tries.length];
  if (one === undefined) return;
  world.count('attacks');
  world.write({ ...one, genuine: false });
}
interface Try {
  at: Store;
  by: Author;
  stream?: string;
  why?: string;
  entries: Entry[];
}
const entry = (op: string, reg: string, value: unknown, more: Partial<Entry> = {}): Entry => ({
  op,
  parents: [],
  reg,
  value,
  ...more,
});
const cellAt = (number: number) => CELLS[number % CELLS.length] as (typeof CELLS)[number];

function byAgent(world: World, b: number, c: number): Try[] {
  const at = world.stores.get('PX') as Store;
  const cell = cellAt(b);
  const suggestions = at.suggestions();
  const about = suggestions[b % Math.max(1, suggestions.length)];
  const ids = at.roundIds();
  const round = ids[b % Math.max(1, ids.length)];
  const say = { raw_outcome: 'TRUE', basis: null };
  const tries: Try[] = [
    // Under the name of another source.
    {
      at,
      by: X,
      entries: [
        entry('set', formatRegister({ kind: 'suggestion', source: idOf(G), ...cell }), say),
      ],
    },
  ];
  if (about !== undefined) {
    const record = entry(
      'set',
      recordReg(about.cell),
      { raw_outcome: 'TRUE' },
      { from: [about.name] },
    );
    const decision = entry(
      'set',
      formatRegister({ kind: 'decision', source: about.source, ...about.cell }),
      { entry: about.name, verdict: 'accepted' },
    );
    // A decision by a program; one that accepts without an outcome; one apart from it.
    tries.push(
      { at, by: X, entries: [record, decision] },
      { at, by: X, entries: [decision] },
      { at, by: X, entries: [decision, record] },
      // In a person's name.
      { at, by: C, entries: [record, decision] },
    );
  }
  if (round !== undefined)
    tries.push(
      {
        at,
        by: X,
        why: 'now',
        entries: [entry('announce', `round/${round}/state`, 'released')],
      },
      {
        at,
        by: X,
        entries: [
          entry('announce', `round/${round}/done/${idOf(B)}`, { count: 0, sum: '0'.repeat(64) }),
        ],
      },
      // Commits, and is no recorder.
      {
        at,
        by: X,
        entries: [
          entry('announce', `round/${round}/done/${idOf(X)}`, { count: 0, sum: '0'.repeat(64) }),
        ],
      },
      {
        at,
        by: X,
        stream: layerStream({ case: asCase(CASE), round, recorder: idOf(c % 2 === 0 ? A : B) }),
        entries: [entry('set', recordReg(cell), { raw_outcome: 'NA' })],
      },
    );
  return tries;
}

/** The studio of B brings what it says that others wrote. */
function byStudio(world: World, b: number, c: number): Try[] {
  const at = world.stores.get('HB') as Store;
  const ids = at.roundIds();
  const round = ids[b % Math.max(1, ids.length)];
  const suggestions = at.suggestions();
  const about = suggestions[b % Math.max(1, suggestions.length)];
  const tries: Try[] = [];
  if (about !== undefined)
    // A person's decision without the outcome.
    tries.push({
      at,
      by: B,
      entries: [
        entry('set', formatRegister({ kind: 'decision', source: about.source, ...about.cell }), {
          entry: about.name,
          verdict: 'accepted',
        }),
      ],
    });
  if (round === undefined) return tries;
  const forgedTerms = { ...termsOf(B, { b, c }, 0), quorum: 1, recorders: [idOf(B)] };
  return [
    ...tries,
    { at, by: C, why: 'now', entries: [entry('announce', `round/${round}/state`, 'released')] },
    { at, by: B, why: 'now', entries: [entry('announce', `round/${round}/state`, 'released')] },
    ...[A, G, L].map((by): Try => ({
      at,
      by,
      entries: [
        entry('announce', `round/${round}/done/${idOf(by)}`, { count: 0, sum: '0'.repeat(64) }),
      ],
    })),
    { at, by: B, entries: [entry('announce', `round/${round}/terms`, forgedTerms)] },
    {
      at,
      by: A,
      stream: layerStream({ case: asCase(CASE), round, recorder: idOf(A) }),
      entries: [entry('set', recordReg(cellAt(b)), { raw_outcome: 'NA' })],
    },
  ];
}
