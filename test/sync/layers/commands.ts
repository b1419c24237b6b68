import type { Assertion } from '../../../src/sync/assertion.ts';
import type { RoundTerms } from '../../../src/shared/domain/round.ts';
import type { Author, Entry } from '../../../src/sync/change.ts';
import type { Suggestion, SuggestionDecision } from '../../../src/sync/layers/values.ts';
import {
  type RegisterCell,
  columnPrefix,
  formatRegister,
  layerStream,
} from '../../../src/sync/register.ts';
import { asCase } from '../../support/ids.ts';
import { hasher } from '../simulation/core.ts';
import {
  C,
  CASE,
  CELLS,
  DOCUMENT_REG,
  DOCUMENTS,
  GHOST_CELL,
  idOf,
  OUTCOMES,
  PROFILE,
  RECORDERS,
  VERSION,
} from './cast.ts';
import type { Store } from './store.ts';
import type { World } from './world.ts';

/** What people and agents do: each of these is one command in one store. */

const set = (reg: string, parent: string | undefined, value: unknown): Entry => ({
  op: 'set',
  parents: parent === undefined ? [] : [parent],
  reg,
  value,
});
const announce = (reg: string, value: unknown): Entry => ({
  op: 'announce',
  parents: [],
  reg,
  value,
});
export const recordReg = ({ profile, version, rule, item }: RegisterCell): string =>
  columnPrefix('assertion', profile, version, rule) + item;
const cellAt = (number: number): RegisterCell => CELLS[number % CELLS.length] as RegisterCell;
const outcomeAt = (number: number) => OUTCOMES[number % 3] as (typeof OUTCOMES)[number];
const isPersonal = ({ kind }: Author): boolean => kind === 'human';

export interface Act {
  at: Store;
  by: Author;
  b: number;
  c: number;
}

/** Records an outcome; sometimes with a `from` that is not so. */
export function record(world: World, { at, by, b, c }: Act): void {
  const cell = cellAt(b);
  const reg = recordReg(cell);
  const value: Assertion = {
    raw_outcome: c % 11 === 0 ? null : outcomeAt(c),
    ...(c % 2 === 0 && { source_value: `v${c}` }),
  };
  const entry = set(reg, at.shown(CASE, reg), value);
  const about = at.suggestions();
  const named = about[b % Math.max(1, about.length)];
  if (c % 5 === 2 && named !== undefined) entry.from = [named.name];
  world.write({ at, by, entries: [entry] });
}

export function suggest(world: World, { at, by, b, c }: Act): void {
  const cell = c % 9 === 4 ? GHOST_CELL : cellAt(b);
  const reg = formatRegister({ kind: 'suggestion', source: idOf(by), ...cell });
  const document = at.displayed<{ digest: string }>(DOCUMENT_REG)?.value.digest;
  const value: Suggestion = {
    raw_outcome: outcomeAt(c),
    source_value: `s${c}`,
    quote: 'as it says',
    confidence: (c % 10) / 10,
    basis: at.shown(CASE, recordReg(cell)) ?? null,
    ...(c % 2 === 0 && document !== undefined && { document }),
  };
  world.count('suggested');
  world.write({
    at,
    by,
    entries: [set(reg, at.shown(CASE, reg), c % 8 === 5 ? null : value)],
  });
}

/** Accepts one by name, also a stale one, or refuses it. */
export function decide(world: World, { at, by, b, c }: Act): void {
  if (!isPersonal(by)) return;
  const waiting = at.suggestions().filter(({ state }) => state === 'open' || state === 'stale');
  const one = waiting[b % Math.max(1, waiting.length)];
  const placed = one === undefined ? undefined : at.find(one.name);
  if (one === undefined || placed === undefined) return;
  const { name, source, cell } = one;
  const value = placed.entry.value as Suggestion;
  const view = at.viewOf(source, cell);
  const reg = formatRegister({ kind: 'decision', source, ...cell });
  if (!world.core.acceptable({ name, value }, view, 'name')) return;
  world.count('decided');
  world.write({
    at,
    by,
    entries:
      c % 3 === 0
        ? [set(reg, view.decision?.name, { entry: name, verdict: 'refused', reason: 'no' })]
        : world.core.acceptanceOf(source, cell, { name, value }, view),
  });
}

/** YD5: accepts of what was previewed all that is neither stale nor decided by now. */
export function carryOut(world: World, { at, by }: Act): void {
  const names = world.previews.get(at) ?? [];
  if (!isPersonal(by) || names.length === 0) return;
  const cells = new Set<string>();
  const entries: Entry[] = [];
  for (const name of names) {
    const placed = at.find(name);
    if (placed?.register.kind !== 'suggestion') continue;
    const { kind: _kind, source, ...cell } = placed.register;
    const shown = { name, value: placed.entry.value as Suggestion | null };
    const view = at.viewOf(source, cell);
    if (cells.has(recordReg(cell)) || !world.core.acceptable(shown, view, 'rule')) continue;
    const fact = world.oracle.byName.get(name);
    if (fact !== undefined && world.oracle.state(world.seen(at), fact) !== 'open')
      world.alarm('Y6 a rule accepts what is stale or decided', at);
    cells.add(recordReg(cell));
    entries.push(...world.core.acceptanceOf(source, cell, shown, view));
  }
  world.previews.delete(at);
  if (entries.length === 0) return;
  world.count('by rule');
  world.write({ at, by, entries });
}

/** YD6: takes back the last outcome of a cell, and the decision that wrote it. */
export function undo(world: World, { at, by, b }: Act): void {
  if (!isPersonal(by)) return;
  const cell = cellAt(b);
  const reg = recordReg(cell);
  const shown = at.shown(CASE, reg);
  const entry = shown === undefined ? undefined : at.find(shown)?.entry;
  if (shown === undefined || entry === undefined) return;
  const before = writtenOver(at, entry);
  world.count('undone');
  const origin = at.originOf(shown);
  if (origin.kind !== 'accepted') {
    const back = set(reg, shown, before?.value ?? { raw_outcome: null });
    if (before !== undefined) back.restores = before.name;
    return void world.write({ at, by, entries: [back] });
  }
  const view = at.viewOf(origin.source, cell);
  const decided = view.decision === undefined ? undefined : at.find(view.decision.name)?.entry;
  const stood = decided === undefined ? undefined : writtenOver(at, decided);
  const decision = (stood?.value ?? null) as SuggestionDecision | null;
  if (decision?.verdict === 'accepted') world.count('accepted again');
  world.write({
    at,
    by,
    entries: world.core.takenBack(origin.source, cell, view, {
      record: before && { ...before, value: before.value as Assertion },
      decision,
    }),
  });
}
/** What an entry was written over. */
function writtenOver(at: Store, { parents: [name] }: Entry) {
  const entry = name === undefined ? undefined : at.find(name)?.entry;
  return name === undefined || entry === undefined
    ? undefined
    : { name, value: entry.value, from: entry.from };
}

export function nameDocument(world: World, { at, by, b }: Act): void {
  if (isPersonal(by))
    world.write({
      at,
      by,
      entries: [
        set(DOCUMENT_REG, at.shown(CASE, DOCUMENT_REG), {
          digest: DOCUMENTS[b % DOCUMENTS.length],
        }),
      ],
    });
}

// ---- rounds
export function termsOf(by: Author, { b, c }: Pick<Act, 'b' | 'c'>, nonce: number): RoundTerms {
  const recorders = [...RECORDERS, ...RECORDERS].slice(b % 4, (b % 4) + 2 + (c % 2)).map(idOf);
  return {
    recorders: recorders as RoundTerms['recorders'],
    profile_uid: PROFILE,
    profile_version: VERSION,
    items: c % 3 === 0 ? ['i0'] : 'all',
    rules: c % 3 === 0 ? ['rule_0', 'rule_1'] : 'all',
    quorum: 2,
    opened_by: by.user,
    record: c % 4 === 0 ? 'shown' : 'hidden',
    na_is_a_category: true,
    nonce: nonce.toString(16).padStart(32, '0'),
  };
}
export function open(world: World, act: Act): void {
  const { at, by } = act;
  if (!isPersonal(by) || world.oracle.rounds({ has: () => true, schema: 9 }).length > 2) return;
  const terms = termsOf(by, act, world.fresh());
  const round = world.core.roundId(terms, hasher);
  world.count('rounds');
  world.write({
    at,
    by,
    entries: [
      set(formatRegister({ kind: 'round', round, field: 'title' }), undefined, 'A round'),
      announce(formatRegister({ kind: 'round', round, field: 'terms' }), terms),
    ],
  });
}
const ownRounds = (at: Store, by: Author) =>
  at.roundIds().flatMap((id) => {
    const round = at.round(id);
    return round?.terms.recorders.some((recorder) => recorder === idOf(by)) === true &&
      !round.removed.has(idOf(by))
      ? [round]
      : [];
  });

export function recordInLayer(world: World, { at, by, b, c }: Act): void {
  const rounds = ownRounds(at, by);
  const round = rounds[c % Math.max(1, rounds.length)];
  if (round === undefined) return;
  const reg = recordReg(cellAt(b));
  const stream = layerStream({ case: asCase(CASE), round: round.id, recorder: idOf(by) });
  world.count('recorded in layers');
  world.write({
    at,
    by,
    stream,
    entries: [set(reg, at.shown(stream, reg), { raw_outcome: outcomeAt(c) })],
  });
}

/** Commits: first the list of changes in the layer (YC1), then its size and sum in the case. */
export function commit(world: World, { at, by, b, c }: Act): void {
  const rounds = ownRounds(at, by).filter(({ commitments }) => !commitments.has(idOf(by)));
  const round = rounds[b % Math.max(1, rounds.length)];
  if (round === undefined) return;
  const recorder = idOf(by);
  const stream = layerStream({ case: asCase(CASE), round: round.id, recorder });
  const { parts, done } = world.core.commitTo(
    at.layerChanges(round.id, recorder),
    round.state === 'released',
  );
  const ids = parts.flatMap(({ value }) => (value as { changes: string[] }).changes);
  // Somebody whose program counts wrongly, or who means to change what they said.
  const isCrooked = c % 7 === 3 && ids.length > 0;
  const sum = isCrooked ? world.core.commitmentOf(ids.slice(1)).sum : done.sum;
  if (!isCrooked) world.oracle.stoodBy.set(`${round.id} ${recorder} ${sum}`, new Set(ids));
  const [part] = parts;
  if (part !== undefined)
    world.write({ at, by, stream, entries: [{ ...part, reg: `committed/${sum}/0` }] });
  // The process may end between the two.
  if (c % 6 === 5) return;
  world.count(isCrooked ? 'crooked commitments' : 'commitments');
  world.write({
    at,
    by,
    entries: [
      announce(formatRegister({ kind: 'done', round: round.id, recorder }), { ...done, sum }),
    ],
  });
}

/** An owner releases a round, or removes somebody from it. */
export function end(world: World, { b, c }: Act): void {
  const at = world.stores.get('HC') as Store;
  const ids = at.roundIds();
  const round = at.round(ids[b % Math.max(1, ids.length)] ?? '');
  if (round === undefined || round.state === 'released') return;
  const recorder = round.terms.recorders[c % round.terms.recorders.length] as string;
  const isRemoval = c % 2 === 0;
  world.count(isRemoval ? 'removed' : 'released by an owner');
  world.write({
    at,
    by: C,
    why: 'has to end',
    entries: [
      isRemoval
        ? announce(formatRegister({ kind: 'removed', round: round.id, recorder }), {})
        : announce(formatRegister({ kind: 'round', round: round.id, field: 'state' }), 'released'),
    ],
  });
}

/** A person writes the record from what recorders said. */
export function settle(world: World, { at, by, b, c }: Act): void {
  if (!isPersonal(by)) return;
  const rounds = at.roundIds().flatMap((id) => at.round(id) ?? []);
  const round = rounds[b % Math.max(1, rounds.length)];
  if (round === undefined || round.state === 'open') return;
  const ratings = at.ratings(round);
  const regs = [...new Set([...ratings.values()].flatMap((of) => [...of.keys()]))].sort();
  const reg = regs[c % Math.max(1, regs.length)];
  if (reg === undefined) return;
  const said = [...ratings.values()].flatMap((of) => of.get(reg) ?? []);
  const entry = set(reg, at.shown(CASE, reg), { raw_outcome: said[c % said.length]?.outcome });
  entry.from = said.map(({ name }) => name);
  world.count('settled');
  world.write({ at, by, why: c % 5 === 0 ? null : 'looked at both', entries: [entry] });
}
