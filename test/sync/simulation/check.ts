import { createHash } from 'node:crypto';
import { unseal } from '../../../src/sync/change.ts';
import { hasher } from './core.ts';
import { ROWS } from './gestures.ts';
import { LogStore } from './log-store.ts';
import { namesOf, shownOf } from './oracle.ts';
import { Replica } from './replica.ts';
import type { Op } from './operation.ts';
import { NEWEST, type Store, type World } from './world.ts';

/**
 * After every operation, for each store that it touched: what is shown is what its set and its
 * schema say.
 */
export function audit(world: World): void {
  for (const store of world.stores) {
    for (const id of store.aside)
      if (!world.everStumbled.has(id))
        world.alarm(store.name, 'R12 a change set aside that no server failed on');
    if (!store.dirty) continue;
    store.dirty = false;
    if (store instanceof LogStore) auditLog(world, store);
    if (store instanceof LogStore || !store.isUnsure()) auditViews(world, store);
  }
}

function auditViews(world: World, store: Store): void {
  const { oracle } = world;
  const applies = world.appliesOn(store);
  for (const reg of oracle.byReg.keys()) {
    if (reg.startsWith('run/')) continue;
    const heads = oracle.heads(reg, applies);
    if (store.views.heads(reg).join() !== namesOf(heads))
      world.alarm(
        store.name,
        `I8 heads of ${reg}: an edit is hidden, revived or falsely contested`,
      );
    if (store.views.shown(reg) !== shownOf(heads)?.name)
      world.alarm(store.name, `I8 what is displayed of ${reg}`);
  }
  if (store.views.regs().some((reg) => !oracle.byReg.has(reg)))
    world.alarm(store.name, 'I8 a register that nobody wrote');
  if (store.views.underDeletion(ROWS).join() !== oracle.underDeletion(ROWS, applies).join())
    world.alarm(store.name, 'I8 edits under deletion');
}

function auditLog(world: World, store: LogStore): void {
  if (store.log.length !== store.held.size) world.alarm(store.name, 'I3 a change twice in a log');
  const before = new Set<string>();
  let entries = 0;
  let quarantined = 0;
  for (const id of store.log) {
    const written = world.oracle.written.get(id);
    const held = store.held.get(id);
    if (written === undefined || held === undefined)
      return world.alarm(store.name, 'I10 a change that nobody wrote');
    if (held.text !== written.text) world.alarm(store.name, 'I10 I16 the bytes of a change');
    entries += written.facts.length;
    quarantined += held.quarantined.size;
    for (const fact of written.facts) {
      if (held.quarantined.has(fact.index) !== fact.needs > store.schema)
        world.alarm(store.name, 'I12 the status of an entry');
      for (const parent of fact.named)
        if (
          !before.has(parent.id) &&
          parent.id !== id &&
          !world.everLost.has(parent.id) &&
          !world.everStumbled.has(parent.id)
        )
          world.alarm(store.name, 'I5 a change before its parent');
    }
    before.add(id);
  }
  const applied = [...store.held.values()].reduce(
    (sum, held) => sum + held.change.entries.length - held.quarantined.size,
    0,
  );
  if (entries !== applied + quarantined)
    world.alarm(store.name, 'I12 entries = applied + quarantined');
  const up = world.up.get(store);
  if (
    up === undefined ||
    store.link === null ||
    up.epoch !== store.link.epoch ||
    up.chain[store.link.pull_seq] !== store.link.pull_chain
  )
    return;
  for (const id of up.log.slice(0, store.link.pull_seq))
    if (!store.held.has(id)) world.alarm(store.name, 'I4 the cursor has passed data');
}

/**
 * Everybody asks until nothing moves any more; then no server fails on anything any more, and what
 * was set aside goes too.
 */
export async function quiesce(world: World): Promise<void> {
  world.heal();
  if (world.stumbles.size > 0) {
    await settle(world);
    for (const client of world.clients) {
      if (
        client instanceof LogStore
          ? client.link !== null && client.tail(client.link, 1, client.log.length).ids.length > 0
          : client.outbox.some(({ id }) => !client.damaged.has(id) && !client.aside.has(id))
      )
        world.alarm(client.name, 'R12 I15 one change that the server fails on holds up others');
    }
    world.stumbles.clear();
  }
  await settle(world);
  await boundedness(world);
}

async function settle(world: World): Promise<void> {
  const state = (): string =>
    world.stores
      .map((store) => {
        const own =
          store instanceof LogStore
            ? store.chain.at(-1)
            : `${store.outbox.length} ${store.checked} ${store.overlaid.length}`;
        const link = JSON.stringify({ ...store.link, rev: 0 });
        return `${own} ${store.aside.size} ${JSON.stringify(store.driver)} ${link}`;
      })
      .join('|');
  const [R0, R1, R2] = world.replicas;
  const turn: Store[] = [R0, R1, R2, ...world.hubs, ...world.hubs.toReversed(), R0, R1, R2];
  for (let round = 0; round < 60; round += 1) {
    const before = state();
    if (world.stumbles.size === 0) await world.offerAside();
    for (const client of world.clients) client.verified = false;
    for (const client of turn) {
      for (let again = 0; again < 4; again += 1) {
        await world.exchange(client, 'push', 50);
        await world.exchange(client, 'pull', 50);
      }
    }
    if (state() === before) return;
  }
  world.alarm('all', 'I15 no quiescence');
}

/** Where nothing is new a cycle asks once. */
async function boundedness(world: World): Promise<void> {
  for (const client of world.clients) {
    world.requests = 0;
    await world.exchange(client, 'push', 50);
    await world.exchange(client, 'pull', 50);
    if (world.requests > 1) world.alarm(client.name, 'I18 requests though nothing is new');
    if (!client.verified) world.alarm(client.name, 'R7 not seen to be equal');
  }
}

export async function check(world: World): Promise<void> {
  audit(world);
  const { hosted } = world;
  for (const store of world.stores) {
    for (const [id, { facts }] of world.oracle.written) {
      if (world.legitLost.has(id)) continue;
      const here = store instanceof LogStore ? store.held.has(id) : store.isKnown(id);
      if (!here) world.alarm(store.name, `I2 a lost write (${facts.length} entries)`);
    }
    if (store.damaged.size > 0 && [...store.damaged].some((id) => !world.spoiled.has(id)))
      world.alarm(store.name, 'I12 a sound change marked as damaged');
    if (store instanceof LogStore) checkLog(world, store);
    else if (store.outbox.some(({ id }) => !store.damaged.has(id)))
      world.alarm(store.name, 'I15 unsent changes');
  }
  orderIndependence(world, hosted);
  const contested = world.stores.map(
    (store) => store.views.regs().filter((reg) => store.views.heads(reg).length > 1).length,
  );
  world.stats['contested'] = (world.stats['contested'] ?? 0) + (contested[0] ?? 0);
  // I16: once everybody has the newest program, all agree, and only what nobody can read is in
  // quarantine.
  for (const store of [hosted, ...world.hubs, world.replicas[2]])
    for (let version = 1; version < NEWEST; version += 1) world.upgrade(store);
  await quiesce(world);
  for (const store of world.stores) store.dirty = true;
  audit(world);
  for (const store of world.stores) {
    if (store instanceof Replica && store.damaged.size > 0) continue;
    for (const reg of world.oracle.byReg.keys()) {
      if (
        store.views.heads(reg).join() !== hosted.views.heads(reg).join() ||
        store.views.shown(reg) !== hosted.views.shown(reg)
      )
        world.alarm(store.name, `I1 I16 convergence of ${reg}`);
    }
  }
}

function checkLog(world: World, store: LogStore): void {
  const { hosted } = world;
  if (
    store.held.size !== hosted.held.size ||
    [...store.held.keys()].some((id) => !hosted.held.has(id))
  )
    world.alarm(store.name, 'I1 convergence of the set');
  if (JSON.stringify(store.digest) !== JSON.stringify(hosted.digest))
    world.alarm(store.name, 'I1 equal sets with different digests');
  let chain = '0'.repeat(64);
  for (const [at, id] of store.log.entries()) {
    const { text } = store.held.get(id) as { text: string };
    if (`c1_${createHash('sha256').update(text).digest('base64url')}` !== id)
      world.alarm(store.name, 'I10 bytes and id');
    chain = createHash('sha256')
      .update(chain + id)
      .digest('hex');
    if (store.chain[at + 1] !== chain) world.alarm(store.name, 'I10 the chain');
  }
  for (const [reg, hash] of world.runs) {
    for (const fact of world.oracle.byReg.get(reg) ?? []) {
      const held = store.held.get(fact.id);
      if (
        held !== undefined &&
        JSON.stringify(held.change.entries[fact.index]?.value) !==
          JSON.stringify({ content_hash: hash })
      )
        world.alarm(store.name, 'I11 a run changed');
    }
  }
}

/** I9: any order of delivery gives the same heads. */
function orderIndependence(world: World, store: LogStore): void {
  for (const order of [store.log.toReversed(), store.log.toSorted()]) {
    const other = world.another().hosted;
    other.schema = store.schema;
    for (const id of order)
      other.append(unseal(id, store.held.get(id)?.text ?? '', hasher), 'child');
    for (const reg of world.oracle.byReg.keys())
      if (other.views.heads(reg).join() !== store.views.heads(reg).join())
        world.alarm(store.name, `I9 order of delivery changes ${reg}`);
  }
}
export async function run(world: World, ops: readonly Op[]): Promise<World> {
  for (const op of ops) {
    await world.step(op);
    audit(world);
  }
  await quiesce(world);
  await check(world);
  return world;
}
