import type { Entry } from '../../../src/sync/change.ts';
import { type Core, hasher } from './core.ts';
import {
  CELLS,
  dice,
  DIGESTS,
  DOCUMENT,
  envelope,
  isCell,
  MAX_ENTRIES,
  OUTCOMES,
  type Plan,
  type Planned,
  ROWS,
  UNKNOWN_SCHEMA,
} from './gestures.ts';
import { type Ears, LogStore, type Saved } from './log-store.ts';
import { CrashError, Step } from './driving.ts';
import { chunkOf, type Page, refused, type Reply, type Request } from './messages.ts';
import { type Fact, namesOf, Oracle, shownOf } from './oracle.ts';
import { Replica } from './replica.ts';

export type Store = LogStore | Replica;
export const NEWEST = 3;
export const FAULTS = [
  'none',
  'none',
  'none',
  'none',
  'lost-request',
  'lost-response',
  'dup-request',
  'dup-response',
  'delay-request',
  'delay-response',
  'truncate',
  'crash',
  'html',
  'busy',
] as const;
export type Fault = (typeof FAULTS)[number];
export const KINDS = [
  'write',
  'write',
  'write',
  'resolve',
  'resolve',
  'freeze',
  'push',
  'push',
  'push',
  'push',
  'pull',
  'pull',
  'pull',
  'pull',
  'deliver',
  'deliver',
  'clock',
  'backup',
  'restore',
  'restore-bump',
  'evict',
  'revoke',
  'unrevoke',
  'upgrade',
  'upgrade',
  'delete',
  'crooked',
  'prepare',
  'commit',
  'restart',
  'poison',
  'stumble',
  'down',
  'up',
] as const;
/** One operation: what, and numbers that say who, where, how and with which values. */
export interface Op {
  t: (typeof KINDS)[number];
  a: number;
  b: number;
  c: number;
  d: number;
}

const START = 1_767_225_600_000;
const TICK = 1_000;
const DAY = 86_400_000;
/** Between two requests, ms: the bound of R12 is reached after some tries. */
const FAULT_STEP = 10_000;
const CLOCKS = [-DAY, 0, 0, 3_652 * DAY];

interface Draft extends Plan {
  made: Entry[];
  boot: string;
  seen: Fact[][];
  sure: boolean;
}
export class Violation extends Error {
  override name = 'Violation';
}

/**
 * Renderers R0 and R1 with their hubs H0 and H1, a browser's R2, and the hosted server S; the
 * network between them; whoever writes.
 */
export class World implements Ears {
  readonly core: Core;
  readonly oracle = new Oracle();
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
  readonly runs = new Map<string, string>();
  requests = 0;
  /** Changes that a server fails on until its next version, and servers that fail on everything. */
  readonly stumbles = new Map<LogStore, Set<string>>();
  readonly everStumbled = new Set<string>();
  readonly #down = new Set<LogStore>();
  #time = 0;
  #numbers = 0;
  #values = 0;
  #nonce = 0;
  #now = 0;
  readonly #clocks = new Map<string, number>();
  readonly #drafts = new Map<Store, Draft>();
  readonly #backups = new Map<Store, Saved>();
  readonly #revoked = new Set<Store>();
  #net: { client: Store; step: Step; request: Request; reply: Reply | undefined }[] = [];

  readonly #plant: ((world: World) => void) | undefined;

  constructor(core: Core, plant?: (world: World) => void) {
    this.core = core;
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
  time(): number {
    return this.#time;
  }
  answers(store: string): boolean {
    const client = this.clients.find(({ name }) => name === store) as Store;
    return !this.#down.has(this.up.get(client) as LogStore);
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

  // ---- writing
  compose(store: Store, plan: Plan): Draft {
    const made = plan.entries.map(({ reg, op, value, schema }): Entry => {
      const entry: Entry & { schema?: number } = {
        op,
        parents: this.parentsFor(store, reg, op, plan),
        reg,
        value,
      };
      if (schema > 1) entry.schema = schema;
      return entry;
    });
    const applies = this.appliesOn(store);
    return {
      ...plan,
      made,
      boot: store.boot,
      seen: plan.entries.map(({ reg }) => this.oracle.heads(reg, applies)),
      sure: store instanceof LogStore || !store.isUnsure(),
    };
  }
  /** H6: a plain write names what is displayed, a resolve names every head. */
  parentsFor(store: Store, reg: string, op: string, _plan: Plan): string[] {
    const shown = store.views.shown(reg);
    return op === 'resolve' ? store.views.heads(reg) : shown === undefined ? [] : [shown];
  }
  /**
   * Between compose and commit other changes may arrive: parents stay what the author was shown.
   */
  commit(store: Store, draft: Draft | undefined): void {
    if (draft === undefined || draft.boot !== store.boot) return;
    const made = this.madeAtCommit(store, draft);
    this.author(store, made, draft.schema);
    for (const [at, entry] of made.entries()) {
      const seen = draft.seen[at] ?? [];
      const should =
        entry.op === 'resolve' ? seen : seen.length === 0 ? [] : [shownOf(seen) as Fact];
      const does = entry.parents
        .flatMap((parent) => this.oracle.byName.get(parent)?.name ?? '?')
        .sort()
        .join();
      if (draft.sure && does !== namesOf(should))
        this.alarm(store.name, `I6 I7 a ${entry.op} does not name what its author saw`);
    }
  }
  madeAtCommit(_store: Store, draft: Draft): Entry[] {
    return draft.made;
  }
  author(store: Store, entries: readonly Entry[], schema: number): void {
    const why = entries.some(({ op }) => op === 'resolve') ? 'looked again' : null;
    const change = envelope({
      hlc: store.tick(),
      wall: this.wall(store.name),
      store: store.name,
      schema,
      nonce: this.#nonce++,
      why,
      entries,
    });
    const sealed = this.core.seal(change, hasher);
    this.oracle.remember(sealed.id, change, sealed.text);
    this.count('changes');
    store.write(sealed);
  }
  #value(shared = false): unknown {
    return {
      raw_outcome: OUTCOMES[this.#values % 3],
      source_value: shared ? 'same' : `v${this.#values++}`,
    };
  }
  #planWrite(store: Store, { b, c, d }: Op): Plan {
    const roll = dice(d);
    const count = 1 + roll(MAX_ENTRIES);
    const stride = 1 + roll(4);
    const shared = roll(3) === 2;
    const schema = roll(6) === 5 ? store.schema : 1;
    const entries = Array.from({ length: count }, (_, at): Planned => ({
      reg: CELLS[(b + at * stride) % CELLS.length] as string,
      op: 'set',
      value: this.#value(shared),
      schema: roll(3) === 2 ? store.schema : 1,
    }));
    const newer = entries[c % count];
    if (c % 12 === 0 && newer !== undefined) newer.schema = UNKNOWN_SCHEMA;
    // Two studios that have made documents of their own under one version, each recording under its
    // own.
    if (c % 7 === 3)
      entries.push({ reg: DOCUMENT, op: 'set', value: DIGESTS[d % DIGESTS.length], schema: 1 });
    return { entries, schema };
  }
  /**
   * One register, or in bulk every contested one, with a plain write of a clean register beside
   * them.
   */
  #planResolve(store: Store, { b, d }: Op): Plan | null {
    const roll = dice(d);
    const bulk = roll(MAX_ENTRIES) > 0;
    const regs = bulk ? [...CELLS, ...ROWS.keys(), DOCUMENT] : [CELLS[b % CELLS.length] as string];
    const contested = regs.filter((reg) => store.views.heads(reg).length > 1).slice(0, MAX_ENTRIES);
    if (contested.length === 0) return null;
    const entries = contested.map((reg): Planned => ({
      reg,
      op: 'resolve',
      value: isCell(reg)
        ? this.#value()
        : reg === DOCUMENT
          ? DIGESTS[0]
          : { deleted: false, covers: [] },
      schema: roll(4) === 3 ? store.schema : 1,
    }));
    const clean = CELLS.find((reg) => store.views.heads(reg).length < 2);
    if (bulk && clean !== undefined && roll(2) === 1)
      entries.push({ reg: clean, op: 'set', value: this.#value(), schema: 1 });
    if (contested.length > 1) this.count('bulk');
    return { entries, schema: 1 };
  }
  /** Deletes a row, with or without clearing its cells in the same gesture; or brings it back. */
  #planDelete(store: Store, { b, d }: Op): Plan {
    const roll = dice(d);
    const [row, cells] = [...ROWS][b % ROWS.size] as [string, string[]];
    const back = roll(4) === 3;
    const clear = roll(3);
    const covers = back ? [] : cells.flatMap((reg) => store.views.heads(reg));
    const entries: Planned[] = [
      { reg: row, op: 'set', value: { deleted: !back, covers }, schema: 1 },
    ];
    if (!back)
      for (const reg of cells.slice(0, clear))
        entries.push({
          reg,
          op: 'set',
          value: { raw_outcome: null },
          schema: roll(3) === 2 ? store.schema : 1,
        });
    return { entries: roll(2) === 1 ? entries.reverse() : entries, schema: 1 };
  }
  /**
   * A faulty peer: sound bytes, wrong citations, unknown registers. Nothing of it may hide an
   * honest entry.
   */
  #crooked(store: Store, { b, d }: Op): void {
    const reg = CELLS[b % CELLS.length] as string;
    const other = CELLS[(b + 1) % CELLS.length] as string;
    const [heads, others] = [store.views.heads(reg), store.views.heads(other)];
    const one = heads.slice(0, 1);
    const entry = (where: string, op: string, parents: string[]): Entry => ({
      op,
      parents,
      reg: where,
      value: this.#value(),
    });
    const kinds: (() => Entry[])[] = [
      () => [
        entry(
          reg,
          'set',
          one.map((name) => name.replace(/\d+$/, (index) => String(Number(index) ^ 1))),
        ),
      ],
      () => [
        entry(
          reg,
          'set',
          one.map((name) => name.slice(0, name.indexOf('#'))),
        ),
      ],
      () => [entry(reg, 'set', heads)],
      () => [entry(reg, 'set', one), entry(reg, 'set', one)],
      () => [entry(reg, 'set', [`c1_${'x'.repeat(43)}#0`])],
      () => [
        entry(reg, 'resolve', [...heads, ...others]),
        entry(other, 'resolve', [...heads, ...others]),
      ],
      () => [entry(`future/${reg}`, 'set', one), entry(reg, 'set', one)],
    ];
    this.count('crooked');
    this.author(store, (kinds[dice(d)(kinds.length)] as () => Entry[])(), 1);
  }
  #freeze(store: Store): void {
    const content = JSON.stringify(
      store.views
        .regs()
        .sort()
        .map((reg) => [reg, store.views.shown(reg)]),
    );
    const content_hash = `sha256:${hasher.sha256Hex(content)}`;
    const run = `run_${this.#nonce}`;
    this.runs.set(`run/${run}`, content_hash);
    this.author(
      store,
      [{ op: 'announce', parents: [], reg: `run/${run}`, value: { content_hash } }],
      1,
    );
  }

  // ---- the network
  serve(client: Store, request: Request): Reply {
    this.requests += 1;
    if (this.#revoked.has(client)) return refused(403, 'origin_not_allowed');
    const upstream = this.up.get(client) as LogStore;
    this.#time += FAULT_STEP;
    if (
      this.#down.has(upstream) ||
      (request.kind === 'push' &&
        request.changes.some(({ id }) => this.stumbles.get(upstream)?.has(id) === true))
    )
      return refused(500, 'internal_error');
    return this.served(upstream, request);
  }
  /** A server fails on a change that it has not: the newest that one of its clients has. */
  #stumble(client: Store): void {
    const upstream = this.up.get(client) as LogStore;
    const ids = client instanceof LogStore ? client.log : client.outbox.map(({ id }) => id);
    const id = ids.findLast((one) => !upstream.held.has(one) && !this.spoiled.has(one));
    if (id === undefined) return;
    this.count('stumbles');
    this.everStumbled.add(id);
    this.stumbles.set(upstream, (this.stumbles.get(upstream) ?? new Set()).add(id));
  }
  /** After an upgrade of a server what was set aside is offered again. */
  async offerAside(): Promise<void> {
    for (const client of this.clients) {
      const step = new Step((ask) => client.offerAside(ask));
      for (let request = await step.waits(); request !== null;)
        request = await step.answer(this.#complete(client, this.serve(client, request)));
    }
  }
  served(upstream: LogStore, request: Request): Reply {
    return upstream.serve(request);
  }
  /** The second chunk of a snapshot is of a later moment where the answer was delayed. */
  #complete(client: Store, reply: Reply): Reply {
    if (reply.kind !== 'whole' || reply.parts.length > 1) return reply;
    const [first] = reply.parts;
    const upstream = this.up.get(client) as LogStore;
    if (first === undefined || this.#revoked.has(client)) return refused(403, 'origin_not_allowed');
    const last = upstream.part(1);
    const pages: Page[] = [];
    for (let after = first.seq; after < last.seq;) {
      const page = upstream.serve({
        kind: 'pull',
        after,
        limit: 50,
        witness: `${first.epoch};${first.seq};${first.chain}`,
      });
      if (page.kind !== 'page') return page;
      pages.push(page.body);
      after = page.body.to;
    }
    return { ...reply, parts: [first, last], pages };
  }
  async exchange(
    client: Store,
    kind: 'push' | 'pull',
    limit: number,
    fault: Fault = 'none',
  ): Promise<void> {
    const step = new Step((ask) => client.exchange(kind, limit, ask));
    const request = await step.waits();
    if (request === null) return;
    if (request.kind === 'push') this.onSend(client, request);
    if (fault === 'lost-request') return;
    if (fault === 'delay-request')
      return void this.#net.push({ client, step, request, reply: undefined });
    if (fault === 'html')
      return void (await step.answer({ kind: 'unreadable', status: 200, reason: 'not JSON' }));
    if (fault === 'busy') return void (await step.answer(refused(429, 'rate_limited')));
    // An answer that comes twice finds a second step that asked the same.
    const twice =
      fault === 'dup-response' ? new Step((ask) => client.exchange(kind, limit, ask)) : undefined;
    await twice?.waits();
    const first = this.serve(client, request);
    if (fault === 'dup-request') this.serve(client, request);
    if (fault === 'lost-response') return;
    if (fault === 'delay-response')
      return void this.#net.push({ client, step, request, reply: first });
    const reply = this.#complete(client, first);
    if (fault === 'truncate' && reply.kind === 'page' && reply.body.n > 0)
      return void (await step.answer({
        ...reply,
        body: { ...reply.body, changes: reply.body.changes.slice(0, -1) },
      }));
    if (fault === 'crash') return this.#crash(client, step, reply);
    await step.answer(reply);
    if (twice !== undefined && twice.request !== null) await twice.answer(reply);
  }
  /** The client's process ends before what it makes of the answer is on its disk. */
  async #crash(client: Store, step: Step, reply: Reply): Promise<void> {
    client.crashing = true;
    try {
      await step.answer(reply);
    } catch (error) {
      if (!(error instanceof CrashError)) throw error;
    }
    client.crashing = false;
    client.restart();
  }
  onSend(_client: Store, _request: Request): void {}
  async #deliver(which: number): Promise<void> {
    const [message] = this.#net.splice(which % Math.max(1, this.#net.length), 1);
    if (message === undefined) return;
    const { client, step, request, reply } = message;
    await step.answer(this.#complete(client, reply ?? this.serve(client, request)));
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
        return this.commit(author, this.compose(author, this.#planWrite(author, op)));
      case 'resolve': {
        const plan = this.#planResolve(author, op);
        return plan === null ? undefined : this.commit(author, this.compose(author, plan));
      }
      case 'delete':
        return this.commit(author, this.compose(author, this.#planDelete(author, op)));
      case 'crooked':
        return this.#crooked(author, op);
      case 'prepare':
        return void this.#drafts.set(
          author,
          this.compose(
            author,
            (c % 2 === 1 ? this.#planResolve(author, op) : null) ?? this.#planWrite(author, op),
          ),
        );
      case 'commit':
        this.commit(author, this.#drafts.get(author));
        return void this.#drafts.delete(author);
      case 'freeze':
        return this.#freeze(author);
      case 'push':
      case 'pull':
        return this.exchange(client, t, 1 + (b % 3), FAULTS[c % FAULTS.length]);
      case 'deliver':
        return this.#deliver(b);
      case 'clock':
        return void this.#clocks.set(any.name, CLOCKS[b % CLOCKS.length] as number);
      case 'upgrade':
        return this.upgrade(any);
      case 'backup':
        return void this.#backups.set(server, server.save());
      case 'restore':
        return void this.#restore(server);
      case 'restore-bump':
        if (this.#restore(server)) server.epoch = `${server.name}#${this.fresh()}`;
        return undefined;
      case 'evict':
        return this.#evict(this.replicas[a % 3] as Replica);
      case 'revoke':
        return void this.#revoked.add(client);
      case 'unrevoke':
        return void this.#revoked.delete(client);
      case 'restart':
        return any.restart();
      case 'stumble':
        return this.#stumble(client);
      case 'down':
        return void this.#down.add(server);
      case 'up':
        return void this.#down.delete(server);
      case 'poison':
        return this.#poison(this.replicas[a % 3] as Replica, b);
    }
  }
  /** The faults end: nothing is under way any more, and everybody may speak. */
  heal(): void {
    this.#revoked.clear();
    this.#down.clear();
    this.#net = [];
  }
}
