import { createHash } from 'node:crypto';
import {
  type ThreadEntry,
  threadId,
  type ThreadOpening,
} from '../../../src/shared/domain/thread.ts';
import { canonicalJson } from '../../../src/shared/lib/canonical-json.ts';
import type { Author } from '../../../src/sync/change.ts';
import type { Discussed } from '../../../src/sync/layers/discussion.ts';
import { hasher } from '../simulation/core.ts';
import { A, B, C, CASE, G, idOf, L, PROFILE, VERSION, X } from './cast.ts';
import type { Act } from './commands.ts';
import type { Fact } from './oracle.ts';
import type { Store } from './store.ts';
import type { World } from './world.ts';

/** What people and agents say to each other in the simulation, and what has to be true of it. */

const ALL = [A, B, C, G, L, X];
const isPerson = ({ kind }: Author): boolean => kind === 'human';
const whom = (number: number): string => idOf(ALL[number % ALL.length] as Author);

function opening(by: Author, b: number, c: number, nonce: number): ThreadOpening {
  const rule = { profile_uid: PROFILE, profile_version: VERSION, rule_uid: `rule_${b % 2}` };
  const places: ThreadOpening['place'][] = [
    { on: 'cell', ...rule, item_uid: `i${c % 2}` },
    { on: 'item', item_uid: c % 5 === 0 ? 'ghost' : 'i0' },
    { on: 'rule', ...rule },
  ];
  return {
    does: 'open',
    place: places[b % 3] as ThreadOpening['place'],
    kind: c % 3 === 0 ? 'comment' : 'query',
    text: `asked ${nonce}`,
    ...(c % 2 === 0 && { mentions: [whom(b)] as never }),
    ...(isPerson(by) && c % 4 === 1 && { assigned_to: whom(c) as never }),
    opened_by: idOf(by) as never,
    nonce: nonce.toString(16).padStart(32, '0'),
  };
}

/** What may be said to a thread; agents say less. */
function reply(by: Author, b: number, c: number, nonce: number): ThreadEntry {
  const text = `said ${nonce}`;
  const said: ThreadEntry[] = [
    { does: 'answer', text },
    { does: 'comment', text, mentions: [whom(b)] as never },
  ];
  if (isPerson(by))
    said.push(
      { does: 'close' },
      { does: 'reopen', text },
      { does: 'assign', to: (c % 3 === 0 ? null : whom(c)) as never },
    );
  return said[c % said.length] as ThreadEntry;
}

const threadReg = (id: string): string => `thread/${id}`;
const announced = (reg: string, value: unknown) => ({
  op: 'announce',
  parents: [],
  reg,
  value,
});

/** Opens a thread, replies in one, or assigns a row. */
export function say(world: World, { at, by, b, c }: Act): void {
  const threads = at.threads();
  const one = threads[b % Math.max(1, threads.length)];
  world.count('said');
  if (c % 7 === 6 && isPerson(by)) {
    const to = c % 2 === 0 ? null : whom(b);
    return void world.write({ at, by, entries: [announced(`assigned/item/i${b % 2}`, { to })] });
  }
  if (one === undefined || c % 4 === 0) {
    const begin = opening(by, b, c, world.fresh());
    const reg = threadReg(threadId(begin, hasher));
    return void world.write({ at, by, entries: [announced(reg, begin)] });
  }
  const value = reply(by, b, c, world.fresh());
  world.write({ at, by, entries: [announced(threadReg(one.id), value)] });
}

/** In another's name, another beginning for a thread, or an agent that closes and assigns. */
export function sayUnderAName(world: World, { b, c }: Act): void {
  const at = world.stores.get(c % 2 === 0 ? 'PX' : 'HB') as Store;
  const by = c % 2 === 0 ? X : B;
  const threads = at.threads();
  const one = threads[b % Math.max(1, threads.length)];
  const begin = opening(A, b, c, world.fresh());
  const own = opening(by, b, c, world.fresh());
  const id = one?.id ?? threadId(begin, hasher);
  const tries: { by: Author; reg: string; value: unknown }[] = [
    { by, reg: threadReg(threadId(begin, hasher)), value: begin },
    { by, reg: threadReg(id), value: own },
    { by: G, reg: threadReg(id), value: { does: 'close' } },
    { by: X, reg: threadReg(id), value: { does: 'assign', to: null } },
    { by: X, reg: 'assigned/item/i0', value: { to: idOf(X) } },
    { by: X, reg: threadReg(id), value: { does: 'open' } },
  ];
  const { reg, value, by: author } = tries[c % tries.length] as (typeof tries)[number];
  world.count('said under a name');
  world.write({ at, by: author, genuine: false, entries: [announced(reg, value)] });
}

// ---- what is true of threads, by the definitions alone

interface TrueThread {
  id: string;
  names: string[];
  state: string;
  assigned: unknown;
}
type Words = Record<string, unknown>;
const words = ({ value }: Fact): Words => value as Words;
const before = (a: Fact, b: Fact): number =>
  a.hlc < b.hlc ? -1 : a.hlc > b.hlc ? 1 : a.id < b.id ? -1 : a.id > b.id ? 1 : a.index - b.index;
const isFirst = (fact: Fact, id: string): boolean => {
  if (words(fact)['does'] !== 'open') return false;
  const hash = createHash('sha256').update(canonicalJson(fact.value)).digest('base64url');
  return `thr_${hash.slice(0, 26)}` === id;
};

function trueThreads({ oracle }: World, store: Store): TrueThread[] {
  const seen = { has: (id: string) => store.held.has(id), schema: store.schema };
  const here = [...oracle.byName.values()].filter(
    (fact) => fact.reg.startsWith('thread/') && fact.stream === CASE && oracle.applies(seen, fact),
  );
  return [...Map.groupBy(here, ({ reg }) => reg.slice('thread/'.length))].flatMap(([id, all]) => {
    const sorted = all.sort(before);
    const first = sorted.find((fact) => isFirst(fact, id));
    if (first === undefined) return [];
    const rest = sorted.filter((fact) => words(fact)['does'] !== 'open');
    let state = 'open';
    let assigned: unknown = words(first)['assigned_to'] ?? null;
    for (const fact of rest) {
      const { does, to } = words(fact);
      if (does === 'close') state = 'closed';
      if (does === 'reopen') state = 'open';
      if (does === 'answer' && state === 'open' && words(first)['kind'] === 'query')
        state = 'answered';
      if (does === 'assign') assigned = to;
    }
    return [{ id, names: [first, ...rest].map(({ name }) => name), state, assigned }];
  });
}

const lineOf = ({ id, names, state, assigned }: TrueThread): string =>
  `${id} ${state} ${String(assigned)} ${names.join()}`;
const linesOf = (threads: readonly Discussed[]): string =>
  threads
    .map(({ id, state, assigned, entries }) =>
      lineOf({ id, state, assigned, names: entries.map(({ name }) => name) }),
    )
    .sort()
    .join('\n');

/** YT1 YT2 YT4: what a store shows is what the rules say of what it holds. */
export function auditThreads(world: World, store: Store): void {
  const expected = trueThreads(world, store).map(lineOf).sort().join('\n');
  if (linesOf(store.threads()) !== expected) world.alarm('YT1 YT4 what a thread shows', store);
  for (const {
    opening: { opened_by },
    entries,
  } of store.threads())
    if (entries[0]?.by !== opened_by) world.alarm('YT3 a thread under another name', store);
}

/** At the end all stores show the same threads, in one order. */
export function checkThreads(world: World): void {
  const hosted = linesOf(world.hosted.threads());
  for (const store of world.all()) {
    const isEqual = [...store.refused].every((id) =>
      (world.oracle.byId.get(id) ?? []).every(({ reg }) => !reg.startsWith('thread/')),
    );
    if (isEqual && linesOf(store.threads()) !== hosted)
      world.alarm('YT1 not everybody shows the same threads', store);
  }
  if (world.hosted.threads().length > 0) world.count('threads compared');
}
