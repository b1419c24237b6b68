import { type Author, type Change, type Entry, seal } from '../../../src/sync/change.ts';
import { participantOf } from '../../../src/sync/layers/authors.ts';
import type { LayerCaller, RecordingRound } from '../../../src/sync/layers/rounds.ts';
import { layerOf, parseRegister, type Register } from '../../../src/sync/register.ts';
import { isOfRecord } from '../../../src/sync/sign-off.ts';
import { asStream } from '../../support/ids.ts';
import { hasher } from '../simulation/core.ts';
import { CASE, HOSTED_KEYS, idOf, type Place, PLACES } from './cast.ts';
import type { LayersCore } from './core.ts';
import { Oracle, type Seen } from './oracle.ts';
import { type Held, Store } from './store.ts';
import { trueStage } from './true-stage.ts';

export class Violation extends Error {
  override name = 'Violation';
}

const START = 1_767_225_600_000;

/** What somebody writes at once. */
export interface Command {
  at: Store;
  by: Author;
  stream?: string;
  why?: string | null;
  entries: readonly Entry[];
  /** By whom it says to be, and who may. */
  genuine?: boolean;
}
export type Mishap = 'none' | 'answer lost' | 'answer late' | 'half of it';

/** The hosted server, the programs of everybody who takes part, and what goes between them. */
export class World {
  readonly core: LayersCore;
  readonly oracle = new Oracle();
  readonly hosted: Store;
  readonly stores = new Map<string, Store>();
  readonly stats: Record<string, number> = {};
  /** Changes by whom they say: what is left was forged. */
  readonly genuine = new Set<string>();
  readonly previews = new Map<Store, string[]>();
  /** What the hosted server took while it did not know layers. */
  readonly relayedUnread = new Set<string>();
  readonly lost = new Set<string>();
  readonly #hostedRounds = new Map<
    string,
    { version: number; round: RecordingRound | undefined }
  >();
  readonly #seen = new Map<Store, Seen & { version: number }>();
  readonly #backups = new Map<Store, Held[]>();
  #late: { to: Store; changes: Held[] }[] = [];
  #now = 0;
  #nonce = 0;

  constructor(core: LayersCore, plant?: (world: World) => void) {
    this.core = core;
    this.hosted = new Store('S', core);
    for (const { name } of PLACES) this.stores.set(name, new Store(name, core));
    plant?.(this);
  }
  all(): Store[] {
    return [this.hosted, ...this.stores.values()];
  }
  place(store: Store): Place {
    return PLACES.find(({ name }) => name === store.name) as Place;
  }
  alarm(what: string, store?: Store): never {
    throw new Violation(store === undefined ? what : `${what} (${store.name})`);
  }
  count(what: string): void {
    this.stats[what] = (this.stats[what] ?? 0) + 1;
  }
  fresh(): number {
    return this.#nonce++;
  }
  seen(store: Store): Seen {
    const known = this.#seen.get(store);
    if (known?.version === store.version && known.schema === store.schema) return known;
    const { version, schema } = store;
    const seen = { has: (id: string) => store.held.has(id), schema, version };
    this.#seen.set(store, seen);
    return seen;
  }

  // ---- writing
  /** Whether a store knows of an approval that nobody has amended. */
  isLocked(store: Store): boolean {
    return this.core.stageOf(store.moves()).stage === 'approved';
  }
  write({ at, by, stream = CASE, why = null, entries, genuine = true }: Command): string {
    if (genuine && stream === CASE) this.mustBeOpen(at, entries);
    this.#now += 1_000;
    const nonce = this.fresh();
    const change: Change = {
      v: 1,
      case: asStream(stream),
      hlc: at.tick(START + this.#now),
      wall: new Date(START + this.#now).toISOString(),
      by,
      at: { replica: at.name, app: '1', schema: 1 },
      txn: `t${nonce}`,
      why,
      nonce: nonce.toString(16).padStart(32, '0'),
      entries: [...entries],
    };
    const sealed = seal(change, hasher);
    this.oracle.remember(sealed.id, sealed.text, change);
    if (genuine) {
      this.genuine.add(sealed.id);
      const facts = this.oracle.byId.get(sealed.id) ?? [];
      if (facts.some(({ needs }) => needs === Infinity))
        this.alarm('Y5 an honest command that no version applies', at);
    }
    this.count('changes');
    at.append({ ...sealed, sentFrom: null });
    return sealed.id;
  }

  /** Z4, by the definitions: nobody writes the record where the approval is known. */
  mustBeOpen(at: Store, entries: readonly Entry[]): void {
    if (!entries.some(({ reg }) => isOfRecord(reg))) return;
    if (trueStage(this.oracle, this.seen(at)) === 'approved')
      this.alarm('Z4 the record of a case that is known as approved', at);
  }

  // ---- the hosted server
  caller(store: Store): LayerCaller {
    const { signedIn, isStudio, isOwner } = this.place(store);
    return { id: idOf(signedIn), isStudio, isOwner, hasKey: (id) => HOSTED_KEYS.has(id) };
  }
  /** An entry that came in a way that would not be taken now opens nothing on this server. */
  opens({ sentFrom, change }: Held, register: Register): boolean {
    const from = sentFrom === null ? undefined : this.stores.get(sentFrom);
    return from === undefined || this.#roundDenial(from, change, register, undefined) === undefined;
  }
  hostedRound(id: string): RecordingRound | undefined {
    const known = this.#hostedRounds.get(id);
    if (known?.version === this.hosted.version) return known.round;
    const round = this.hosted.roundBy(id, (held, register) => this.opens(held, register));
    this.#hostedRounds.set(id, { version: this.hosted.version, round });
    return round;
  }
  #roundDenial(from: Store, { by }: Change, register: Register, round: RecordingRound | undefined) {
    const author = { id: participantOf(by), user: by.user };
    return this.core.roundDenial(register, author, this.caller(from), round);
  }
  /** L7: whose a change from there may be. */
  isAllowed(from: Store, { by }: Change): boolean {
    const { signedIn, isStudio } = this.place(from);
    return isStudio || (by.kind === signedIn.kind && idOf(by) === idOf(signedIn));
  }
  takes(from: Store, held: Held): boolean {
    const { change } = held;
    if (!this.isAllowed(from, change)) return false;
    const layer = layerOf(change.case);
    // A version that does not know layers has no such logs, and no rule for what it relays.
    if (this.hosted.schema < 4) return layer === undefined;
    if (layer !== undefined)
      return (
        this.core.layerDenial(layer, this.hostedRound(layer.round), this.caller(from), {
          id: participantOf(change.by),
          user: change.by.user,
        }) === undefined
      );
    return change.entries.every(({ reg }) => {
      const register = parseRegister(reg);
      return (
        register === undefined ||
        !('round' in register) ||
        this.#roundDenial(from, change, register, this.hostedRound(register.round)) === undefined
      );
    });
  }
  take(from: Store, held: Held): void {
    if (!this.takes(from, held)) {
      this.count('refused');
      return void from.refused.add(held.id);
    }
    from.refused.delete(held.id);
    if (this.hosted.schema < 4) this.relayedUnread.add(held.id);
    this.mustBeTheirs(from, held);
    this.mustNotBeRemoved(held);
    this.hosted.see(held.change.hlc, START + this.#now);
    this.hosted.append({ ...held, sentFrom: from.name });
  }
  /** Y15, by the definitions. */
  mustBeTheirs(from: Store, { change: { by } }: Held): void {
    const { signedIn, isStudio } = this.place(from);
    if (!isStudio && (by.user !== signedIn.user || by.key !== signedIn.key))
      this.alarm('Y15 a change by somebody else than who brought it', from);
  }
  /** Y12, by the definitions. */
  mustNotBeRemoved({ change }: Held): void {
    const [, , id, recorder = ''] = change.case.split('/');
    if (id === undefined || this.hosted.schema < 4) return;
    const round = this.oracle.rounds(this.seen(this.hosted)).find((one) => one.id === id);
    if (round?.removed.has(recorder) === true)
      this.alarm('Y12 a recorder who was removed still writes');
  }
  gives(to: Store, stream: string): boolean {
    const layer = layerOf(stream);
    if (layer === undefined) return true;
    return this.core.mayReadLayer(layer, this.hostedRound(layer.round), this.caller(to));
  }

  // ---- what goes between
  exchange(store: Store, limit: number, mishap: Mishap = 'none', seed = 0): void {
    const unsent = [...store.held.values()].filter(({ id }) => !this.hosted.held.has(id));
    for (const held of unsent.slice(0, limit)) this.take(store, held);
    if (mishap === 'answer lost') return;
    let changes = [...this.hosted.held.values()].filter(
      ({ id, change }) => !store.held.has(id) && this.gives(store, change.case),
    );
    // In whatever order: after a recovery children may come before their parents.
    if (seed % 3 === 1) changes.reverse();
    changes = changes.slice(0, limit);
    if (mishap === 'answer late') return void this.#late.push({ to: store, changes });
    this.#receive(store, mishap === 'half of it' ? changes.slice(changes.length / 2) : changes);
  }
  #receive(store: Store, changes: readonly Held[]): void {
    for (const held of changes) {
      const text = this.relayed(held);
      if (text !== this.oracle.texts.get(held.id)) this.alarm('Y13 the bytes of a change', store);
      store.see(held.change.hlc, START + this.#now);
      store.append({ ...held, sentFrom: null });
    }
  }
  relayed({ text }: Held): string {
    return text;
  }
  deliver(which: number): void {
    const [message] = this.#late.splice(which % Math.max(1, this.#late.length), 1);
    if (message !== undefined) this.#receive(message.to, message.changes);
  }

  // ---- what befalls stores
  backup(store: Store): void {
    this.#backups.set(store, [...store.held.values()]);
  }
  restore(store: Store): void {
    const saved = this.#backups.get(store);
    if (saved === undefined) return;
    const kept = new Set(saved.map(({ id }) => id));
    for (const id of store.held.keys())
      if (!kept.has(id) && this.all().every((other) => other === store || !other.held.has(id)))
        this.lost.add(id);
    this.count('restored');
    this.load(store, saved);
  }
  load(store: Store, saved: readonly Held[]): void {
    store.rebuild(saved);
  }
  /** YV2: everything is classified again. */
  upgrade(store: Store): void {
    if (store.schema >= 6) return;
    store.schema = 6;
    this.count('upgraded');
    store.rebuild();
  }
  heal(): void {
    this.#late = [];
    for (const store of this.all()) this.upgrade(store);
  }
}
