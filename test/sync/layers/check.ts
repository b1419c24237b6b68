import type { RecordingRound } from '../../../src/sync/layers/rounds.ts';
import { CASE, CELLS, idOf, PLACES, RECORDERS } from './cast.ts';
import { recordReg } from './commands.ts';
import { auditThreads, checkThreads } from './discussing.ts';
import type { Fact } from './oracle.ts';
import { auditStage, checkStage } from './signing.ts';
import type { Store } from './store.ts';
import type { World } from './world.ts';

/** After every operation, for each store that it touched: what it shows is what the rules say. */
export function audit(world: World): void {
  for (const store of world.all()) {
    if (!store.dirty) continue;
    store.dirty = false;
    auditStatus(world, store);
    auditRecord(world, store);
    auditSealed(world, store);
    auditThreads(world, store);
    auditStage(world, store);
  }
}

function auditStatus(world: World, store: Store): void {
  const { oracle } = world;
  const seen = world.seen(store);
  for (const held of store.held.values()) {
    const expected = (oracle.byId.get(held.id) ?? []).flatMap(({ index, needs }) =>
      needs > store.schema ? [index] : [],
    );
    if (store.quarantined(held).join() !== expected.join())
      world.alarm('Y3 S1 the status of an entry', store);
  }
  for (const [stream, reg] of oracle.regs()) {
    const heads = oracle.heads(seen, stream, reg).map(({ name }) => name);
    if (store.heads(stream, reg).join() !== heads.sort().join())
      world.alarm(`I8 heads of ${reg}`, store);
  }
  if (store.contested().join() !== oracle.contested(seen).join())
    world.alarm('Y4 what needs a person', store);
}

function auditRecord(world: World, store: Store): void {
  const { oracle } = world;
  const seen = world.seen(store);
  if (store.rows().join() !== oracle.rows(seen).join())
    world.alarm('Y2 a row that nobody recorded', store);
  for (const cell of CELLS) {
    const reg = recordReg(cell);
    const shown = oracle.shown(seen, CASE, reg);
    if (store.shown(CASE, reg) !== shown?.name) world.alarm('Y2 what the record shows', store);
    if (shown === undefined) continue;
    if (originWords(store, shown.name) !== oracle.origin(seen, oracle.first(seen, shown)))
      world.alarm('Y1 Y5 Y14 what an outcome comes from', store);
  }
  for (const { name, state } of store.suggestions()) {
    const fact = oracle.byName.get(name);
    if (fact !== undefined && oracle.state(seen, fact) !== state)
      world.alarm('Y6 the state of a suggestion', store);
  }
}

function originWords(store: Store, name: string): string {
  const origin = store.originOf(name);
  switch (origin.kind) {
    case 'accepted':
      return `accepted ${origin.suggestion} of ${origin.source} by ${origin.by.user}`;
    case 'agreed':
    case 'adjudicated':
      return `${origin.kind} ${origin.entries.join()}`;
    default:
      return origin.kind;
  }
}

/** Y7, and what people who record in an open round are shown. */
function auditSealed(world: World, store: Store): void {
  const { oracle, genuine } = world;
  const truly = oracle.rounds({ has: (id) => genuine.has(id), schema: 9 });
  const place = PLACES.find(({ name }) => name === store.name);
  const own = new Set(place === undefined ? [] : [place.signedIn, ...place.authors].map(idOf));
  for (const { id, change } of store.held.values()) {
    const [, , round, recorder = ''] = change.case.split('/');
    if (round === undefined || place === undefined || own.has(recorder)) continue;
    // What was forged here did not come from anywhere.
    if (!genuine.has(id) && change.at.replica === store.name) continue;
    if (truly.find((one) => one.id === round)?.released !== true)
      world.alarm('Y7 a sealed layer in another store', store);
  }
  const here = oracle.rounds(world.seen(store));
  for (const reader of RECORDERS.map(idOf))
    for (const cell of CELLS) {
      const isHidden = here.some(
        ({ id, released, record, recorders, removed }) =>
          !released &&
          record === 'hidden' &&
          recorders.includes(reader) &&
          !removed.has(reader) &&
          isCellOf(store.round(id), cell),
      );
      const shown = store.recordFor(reader, cell);
      const expected = isHidden ? undefined : store.shown(CASE, recordReg(cell));
      if (shown !== expected) world.alarm('YR7 what a recorder is shown of the record', store);
    }
}
const isCellOf = (
  round: RecordingRound | undefined,
  { item, rule }: (typeof CELLS)[number],
): boolean =>
  round !== undefined &&
  (round.terms.items === 'all' || round.terms.items.some((one) => one === item)) &&
  (round.terms.rules === 'all' || round.terms.rules.includes(rule));

/** Everybody exchanges until nothing moves. */
export function quiesce(world: World): void {
  world.heal();
  for (let turn = 0; turn < 12; turn += 1) {
    const before = sizes(world);
    for (const store of world.stores.values()) world.exchange(store, Infinity);
    if (sizes(world) === before) return;
  }
  world.alarm('I15 no quiescence');
}
const sizes = (world: World): string =>
  world
    .all()
    .map(({ held, refused }) => `${held.size} ${refused.size}`)
    .join();

/** At the end, when everybody has exchanged everything. */
export function check(world: World): void {
  audit(world);
  const { oracle, hosted, genuine } = world;
  const truth = oracle.rounds({ has: (id) => genuine.has(id) && hosted.held.has(id), schema: 9 });
  for (const store of world.all()) {
    for (const { id, text } of store.held.values())
      if (text !== oracle.texts.get(id)) world.alarm('Y13 the bytes of a change', store);
    for (const id of hosted.held.keys()) mustBeHere(world, store, id, truth);
  }
  for (const id of genuine) mustBeHosted(world, id, truth);
  for (const id of hosted.roundIds()) checkRound(world, id);
  checkThreads(world);
  checkStage(world);
}

function mustBeHere(
  world: World,
  store: Store,
  id: string,
  truth: readonly { id: string; released: boolean }[],
): void {
  const [, , round] = (world.hosted.held.get(id)?.change.case ?? '').split('/');
  if (round !== undefined && truth.find((one) => one.id === round)?.released !== true) return;
  if (!store.held.has(id)) world.alarm('Y8 I2 not everybody holds what all may read', store);
}

/**
 * Whether a store holds a change that it may bring: of its own people, or, where it opens nothing,
 * in the studio of an owner.
 */
function brings({ name, held }: Store, { id, by, reg }: Fact): boolean {
  const place = PLACES.find((one) => one.name === name);
  if (place === undefined || !held.has(id)) return false;
  return (
    (place.isStudio && place.isOwner && !/^round\/[^/]+\/(done|removed|state)/.test(reg)) ||
    place.authors.some((author) => idOf(author) === idOf(by))
  );
}

/** What was rightly written is at the hosted server, except what came after a removal. */
function mustBeHosted(
  world: World,
  id: string,
  truth: readonly { id: string; removed: ReadonlySet<string> }[],
): void {
  const { hosted, lost } = world;
  if (hosted.held.has(id) || lost.has(id)) return;
  const [fact] = world.oracle.byId.get(id) ?? [];
  if (world.all().every(({ held }) => !held.has(id))) world.alarm('I2 nobody has it any more');
  if (fact === undefined || world.all().every((store) => !brings(store, fact))) return;
  const parts = (fact.stream === CASE ? fact.reg : fact.stream).split('/');
  const [round, recorder] = fact.stream === CASE ? [parts[1], parts[3]] : [parts[2], parts[3]];
  const of = truth.find((one) => one.id === round);
  if (recorder !== undefined && (of === undefined || of.removed.has(recorder))) return;
  world.alarm(`I2 what was rightly written is not taken: ${fact.reg}`);
}

function checkRound(world: World, id: string): void {
  const { hosted, oracle } = world;
  const round = world.hostedRound(id);
  const here = oracle.rounds(world.seen(hosted)).find((one) => one.id === id);
  if (round === undefined) return;
  if (here?.released !== true || round.state === 'open') {
    if (world.hosted.ratings(round).size > 0) world.alarm('Y7 figures of what is sealed');
    return;
  }
  world.count('released');
  const figures = JSON.stringify(world.core.roundFigures(round, hosted.ratings(round)));
  for (const store of world.all()) {
    const of = store.round(id);
    if (of === undefined) return world.alarm('Y8 a round that is not known', store);
    const ratings = store.ratings(of);
    const words = [...ratings].flatMap(([recorder, cells]) =>
      [...cells].map(([reg, { name, outcome }]) => `${reg} ${recorder} ${outcome} ${name}`),
    );
    const there = oracle.rounds(world.seen(store)).find((one) => one.id === id);
    const expected = (there === undefined ? [] : oracle.ratings(world.seen(store), there)).filter(
      (line) => isCellOf(of, cellOf(line)),
    );
    if (words.sort().join('\n') !== expected.join('\n'))
      world.alarm('Y9 Y10 Y11 what counts of the layers', store);
    // Work that is not taken stays where it was written, and counts there alone.
    const isEqual = [...store.refused].every((one) => !isAbout(world, one, id));
    if (isEqual && JSON.stringify(world.core.roundFigures(of, ratings)) !== figures)
      world.alarm('Y10 the figures of a round', store);
    // What a version without layers relayed stays in the log, and opens nothing (YR10).
    const isForged = [...world.relayedUnread].some(
      (one) => !world.genuine.has(one) && isAbout(world, one, id),
    );
    for (const recorder of isEqual && !isForged ? of.terms.recorders : [])
      checkFit(world, store, of, recorder);
  }
  if ([...hosted.ratings(round).values()].filter(({ size }) => size > 0).length > 1)
    world.count('compared');
}
const isAbout = (world: World, change: string, round: string): boolean =>
  (world.oracle.byId.get(change) ?? []).some(
    ({ stream, reg }) => stream.includes(round) || reg.includes(round),
  );
const cellOf = (line: string): (typeof CELLS)[number] =>
  CELLS.find((cell) => line.startsWith(`${recordReg(cell)} `)) as (typeof CELLS)[number];

/** Y9: what is said of a commitment is so, and the same in every store. */
function checkFit(world: World, store: Store, round: RecordingRound, recorder: string): void {
  const { fit, ids } = store.committed(round, recorder);
  const here = world.oracle.rounds(world.seen(store)).find((one) => one.id === round.id);
  if (here === undefined) return;
  const expected = world.oracle.committedIds(world.seen(store), here, recorder);
  if ([...ids].sort().join() !== [...expected].sort().join())
    world.alarm('Y9 which changes a commitment is over', store);
  const stated = here.done.get(recorder);
  const [one] = stated ?? [];
  const isTrue = one !== undefined && world.oracle.truth(round.id, recorder, one) !== undefined;
  if (fit === 'fits' && !isTrue) world.alarm('Y9 a commitment that does not fit its layer', store);
  if (fit === 'awaited' && isTrue && stated?.length === 1 && world.lost.size === 0)
    world.alarm('Y8 Y9 a commitment that waits for nothing', store);
}
