import { LAYERS_SCHEMA } from '../../../src/sync/change.ts';
import type { Core } from './core.ts';
import type { Ears } from './log.ts';
import { LogStore, type Saved } from './log-store.ts';
import type { Op } from './operation.ts';
import { chunkOf } from './messages.ts';
import { FAULTS, Traffic } from './traffic.ts';
import type { Fact } from './oracle.ts';
import { Replica } from './replica.ts';
import type { Draft, Store } from './writing.ts';

export type { Store } from './writing.ts';

/** One more than what the program writes with: it judges layers already. */
export const NEWEST = LAYERS_SCHEMA;
const START = 1_767_225_600_000;
const TICK = 1_000;
const DAY = 86_400_000;
const CLOCKS = [-DAY, 0, 0, 3_652 * DAY];

export class Violation extends Error {
  override name = 'Violation';
}

/**
 * Renderers R0 and R1 with their hubs H0 and H1, a browser's R2, and the hosted server S; the
 * network between them; whoever writes.
 */
export class World extends Traffic implements Ears {
  readonly hosted: LogStore;
  readonly hubs: readonly [LogStore, LogStore];
  readonly replicas: readonly [Replica, Replica, Replica];
  readonly up: ReadonlyMap<Store, LogStore>;
  /** Links, whoever asks first: renderers before hubs. */
  readonly clients: readonly Store[];
  readonly stores: readonly Store[];
  readonly stats: Record<string, number> = {};
  readonly legitLost = new Set<string>();
  /**
   * Ids that a restored or deleted store no longer had: their children may stand before them there.
   */
  readonly everLost = new Set<string>();
  readonly spoiled = new Set<string>();
  #numbers = 0;
  #now = 0;
  readonly #clocks = new Map<string, number>();
  readonly #drafts = new Map<Store, Draft>();
  readonly #backups = new Map<Store, Saved>();

  readonly #plant: ((world: World) => void) | undefined;

  constructor(core: Core, plant?: (world: World) => void) {
    super(core);
    this.#plant = plant;
    this.hosted = new LogStore('S', core, this, false);
    this.hubs = [new LogStore('H0', core, this, true), new LogStore('H1', core, this, true)];
    this.replicas = [
      new Replica('R0', core, this),
      new Replica('R1', core, this),
      new Replica('R2', core, this),
    ];
    const [H0, H1] = this.hubs;
    const [R0, R1, R2] = this.replicas;
    this.up = new Map<Store, LogStore>([
      [H0, this.hosted],
      [H1, this.hosted],
      [R0, H0],
      [R1, H1],
      [R2, this.hosted],
    ]);
    this.clients = [...this.up.keys()];
    this.stores = [this.hosted, ...this.hubs, ...this.replicas];
    plant?.(this);
  }
  /** An empty world with the same bug. */
  another(): World {
    return new World(this.core, this.#plant);
  }
  logs(): LogStore[] {
    return [this.hosted, ...this.hubs];
  }

  // ---- what stores tell
  alarm(store: string, what: string): never {
    throw new Violation(`${what} (${store})`);
  }
  count(what: string): void {
    this.stats[what] = (this.stats[what] ?? 0) + 1;
  }
  fresh(): number {
    return this.#numbers++;
  }
  wall(store: string): number {
    return START + this.#now * TICK + (this.#clocks.get(store) ?? 0);
  }

  /** By the oracle: whether a store has applied an entry, given what it holds and what it reads. */
  appliesOn(store: Store): (fact: Fact) => boolean {
    if (store instanceof LogStore)
      return (fact) => store.held.has(fact.id) && fact.needs <= store.schema;
    // A snapshot is what its server made of the log.
    return (fact) => {
      const part = store.snapshot[chunkOf(fact.reg)];
      return (
        (store.applied.has(fact.id) && fact.needs <= store.schema) ||
        (part?.held.has(fact.id) === true && fact.needs <= part.schema)
      );
    };
  }

  // ---- losses
  /** Who could give a change to others. */
  holds(store: Store, id: string): boolean {
    return store instanceof LogStore
      ? store.held.has(id)
      : !this.spoiled.has(id) &&
          [...store.outbox, ...store.sent].some((sealed) => sealed.id === id);
  }
  #noteLoss(store: Store, gone: Iterable<string>): void {
    for (const id of gone) {
      this.everLost.add(id);
      if (!this.stores.some((other) => other !== store && this.holds(other, id)))
        this.legitLost.add(id);
    }
  }
  #restore(store: LogStore): boolean {
    const saved = this.#backups.get(store);
    if (saved === undefined) return false;
    this.#noteLoss(
      store,
      [...store.held.keys()].filter((id) => !saved.held.has(id)),
    );
    store.load(saved);
    return true;
  }
  #evict(replica: Replica): void {
    this.#noteLoss(
      replica,
      [...replica.outbox, ...replica.sent].map(({ id }) => id),
    );
    replica.forget();
  }
  /**
   * A desktop's window and hub are one program; a browser's page is never newer than the server it
   * came from.
   */
  upgrade(store: Store): void {
    const [R0, R1, R2] = this.replicas;
    const [H0, H1] = this.hubs;
    const program: Store[] =
      store === this.hosted
        ? [this.hosted]
        : store === R2
          ? [R2]
          : store === R0 || store === H0
            ? [H0, R0]
            : [H1, R1];
    if (store.schema >= NEWEST || (store === R2 && R2.schema >= this.hosted.schema)) return;
    for (const part of program) part.upgrade();
  }
  /** A bit of an unsent change flips on a window's disk. */
  #poison(replica: Replica, which: number): void {
    const sealed = replica.outbox[which % Math.max(1, replica.outbox.length)];
    if (sealed === undefined || this.spoiled.has(sealed.id)) return;
    this.spoiled.add(sealed.id);
    this.#noteLoss(replica, [sealed.id]);
    replica.outbox = replica.outbox.map((other) =>
      other === sealed ? { ...other, text: other.text.replace('"v":1', '"v":2') } : other,
    );
  }

  /** What befalls the disks of a server or a window. */
  #lose({ t, b }: Op, server: LogStore, replica: Replica): void {
    if (t === 'backup') this.#backups.set(server, server.save());
    else if (t === 'evict') this.#evict(replica);
    else if (t === 'poison') this.#poison(replica, b);
    else if (this.#restore(server) && t === 'restore-bump')
      server.epoch = `${server.name}#${this.fresh()}`;
  }

  // ---- one operation
  async step(op: Op): Promise<void> {
    const { t, a, b, c } = op;
    const client = this.clients[a % this.clients.length] as Store;
    const any = this.stores[a % this.stores.length] as Store;
    const author = any === this.hosted ? this.hubs[0] : any;
    const server = this.logs()[a % 3] as LogStore;
    if (['write', 'resolve', 'delete', 'crooked', 'commit'].includes(t)) this.#now += 1;
    switch (t) {
      case 'write':
        return this.commit(author, this.compose(author, this.planWrite(author, op)));
      case 'resolve': {
        const plan = this.planResolve(author, op);
        return plan === null ? undefined : this.commit(author, this.compose(author, plan));
      }
      case 'delete':
        return this.commit(author, this.compose(author, this.planDelete(author, op)));
      case 'crooked':
        return this.crooked(author, op);
      case 'prepare':
        return void this.#drafts.set(
          author,
          this.compose(
            author,
            (c % 2 === 1 ? this.planResolve(author, op) : null) ?? this.planWrite(author, op),
          ),
        );
      case 'commit':
        this.commit(author, this.#drafts.get(author));
        return void this.#drafts.delete(author);
      case 'freeze':
        return this.freeze(author);
      case 'push':
      case 'pull':
        return this.exchange(client, t, 1 + (b % 3), FAULTS[c % FAULTS.length]);
      case 'deliver':
        return this.deliver(b);
      case 'clock':
        return void this.#clocks.set(any.name, CLOCKS[b % CLOCKS.length] as number);
      case 'backup':
      case 'restore':
      case 'restore-bump':
      case 'evict':
      case 'poison':
        return this.#lose(op, server, this.replicas[a % 3] as Replica);
      case 'upgrade':
        return this.upgrade(any);
      case 'revoke':
        return void this.revoked.add(client);
      case 'unrevoke':
        return void this.revoked.delete(client);
      case 'restart':
        return any.restart();
      case 'stumble':
        return this.stumble(client);
      case 'down':
        return void this.down.add(server);
      case 'up':
        return void this.down.delete(server);
    }
  }
}
