import {
  type Author,
  type Change,
  type Entry,
  entryName,
  parseEntryName,
} from '../../../src/sync/change.ts';
import { type Assertion, contentKey } from '../../../src/sync/assertion.ts';
import { EMPTY_REGISTER, type RegisterState } from '../../../src/sync/heads.ts';
import { HLC_ZERO, nextHlc, seeHlc } from '../../../src/sync/clock.ts';
import type { LayerChange, Rating } from '../../../src/sync/layers/committed.ts';
import { participantOf } from '../../../src/sync/layers/authors.ts';
import type { Discussed, AuthoredEntry } from '../../../src/sync/layers/discussion.ts';
import type { ThreadEntry } from '../../../src/shared/domain/thread.ts';
import type { OutcomeOrigin } from '../../../src/sync/layers/origin.ts';
import type { RecordingRound } from '../../../src/sync/layers/rounds.ts';
import type {
  CellView,
  DisplayedEntry,
  SuggestionState,
} from '../../../src/sync/layers/suggestions.ts';
import type { SuggestionDecision, Suggestion } from '../../../src/sync/layers/values.ts';
import {
  type RegisterCell,
  formatRegister,
  layerOf,
  layerStream,
  parseRegister,
  type Register,
} from '../../../src/sync/register.ts';
import type { PlacedMove, StageMove } from '../../../src/sync/sign-off.ts';
import { asCase } from '../../support/ids.ts';
import { hasher } from '../simulation/core.ts';
import { CASE, DOCUMENT_REG } from './cast.ts';
import type { LayersCore } from './core.ts';

/** A change in a store, and from where it was brought; null: it was written or read here. */
export interface Held {
  id: string;
  text: string;
  change: Change;
  sentFrom: string | null;
}
interface Placed {
  by: Author;
  entry: Entry;
  register: Register;
  stream: string;
}

const statuses = new WeakMap<
  LayersCore['appliedRegister'],
  Map<string, (Register | undefined)[]>
>();

/** What one program has of a case and of its layers. */
export class Store {
  readonly name: string;
  readonly core: LayersCore;
  schema = 6;
  hlc = HLC_ZERO;
  held = new Map<string, Held>();
  /** Changes that the hosted server did not take from here. */
  refused = new Set<string>();
  dirty = true;
  /** Grows with each entry that comes. */
  version = 0;
  #rounds = new Map<string, { version: number; round: RecordingRound | undefined }>();
  #states = new Map<string, RegisterState>();
  #entries = new Map<string, Placed>();
  #announced: { id: string; name: string; register: Register; value: unknown }[] = [];

  constructor(name: string, core: LayersCore) {
    this.name = name;
    this.core = core;
  }

  // ---- changes
  registersOf({ id, change }: Held): (Register | undefined)[] {
    let known = statuses.get(this.core.appliedRegister);
    if (known === undefined) statuses.set(this.core.appliedRegister, (known = new Map()));
    if (known.size > 20_000) known.clear();
    const key = `${id} ${this.schema}`;
    let registers = known.get(key);
    if (registers === undefined)
      known.set(
        key,
        (registers = change.entries.map((_, index) =>
          this.core.appliedRegister(change, index, this.schema),
        )),
      );
    return registers;
  }
  append(held: Held): void {
    if (this.held.has(held.id)) return;
    this.held.set(held.id, held);
    this.apply(held);
  }
  apply(held: Held): void {
    this.dirty = true;
    this.version += 1;
    const { id, change } = held;
    for (const [index, register] of this.registersOf(held).entries()) {
      const entry = change.entries[index];
      if (register === undefined || entry === undefined) continue;
      const name = entryName(id, index);
      this.#entries.set(name, { by: change.by, entry, register, stream: change.case });
      if (entry.op === 'announce') this.#announced.push({ id, name, register, value: entry.value });
      else this.#supersede(`${change.case} ${entry.reg}`, name, change.hlc, entry);
    }
  }
  #supersede(key: string, name: string, hlc: string, { parents, reg }: Entry): void {
    this.#states.set(
      key,
      this.core.applyEntry(this.#states.get(key) ?? EMPTY_REGISTER, { name, hlc }, parents, (one) =>
        this.#isSettled(one, reg, key),
      ),
    );
  }
  #isSettled(name: string, reg: string, key: string): boolean {
    const parts = parseEntryName(name);
    if (parts === undefined) return true;
    const held = this.held.get(parts.id);
    const entry = held?.change.entries[parts.index];
    if (held === undefined) return false;
    return (
      entry === undefined ||
      `${held.change.case} ${entry.reg}` !== key ||
      entry.reg !== reg ||
      this.#entries.has(name)
    );
  }
  /** Everything classified again: by another version, or from a backup. */
  rebuild(changes: Iterable<Held> = this.held.values()): void {
    const kept = [...changes];
    this.held = new Map(kept.map((held) => [held.id, held]));
    this.#states = new Map();
    this.#entries = new Map();
    this.#announced = [];
    for (const held of kept) this.apply(held);
    this.dirty = true;
  }
  tick(now: number): string {
    return (this.hlc = nextHlc(this.hlc, now));
  }
  see(hlc: string, now: number): void {
    this.hlc = seeHlc(this.hlc, hlc, now).last;
  }

  // ---- what registers show
  heads(stream: string, reg: string): string[] {
    return (this.#states.get(`${stream} ${reg}`)?.heads ?? []).map(({ name }) => name).sort();
  }
  shown(stream: string, reg: string): string | undefined {
    return this.core.displayedHead(this.#states.get(`${stream} ${reg}`) ?? EMPTY_REGISTER)?.name;
  }
  find(name: string): Placed | undefined {
    return this.#entries.get(name);
  }
  displayed<T>(reg: string): DisplayedEntry<T> | undefined {
    const name = this.shown(CASE, reg);
    return name === undefined ? undefined : { name, value: this.find(name)?.entry.value as T };
  }
  quarantined(held: Held): number[] {
    return this.registersOf(held).flatMap((register, index) =>
      register === undefined ? [index] : [],
    );
  }
  rows(): string[] {
    const rows = new Set<string>();
    for (const { register, stream } of this.#entries.values()) {
      const row = this.core.rowOf(register, stream);
      if (row !== undefined) rows.add(row);
    }
    return [...rows].sort();
  }
  /** Registers of the case that need a person. */
  contested(): string[] {
    return [...this.#states]
      .flatMap(([key, { heads }]) => {
        const [stream = '', reg = ''] = key.split(' ');
        const register = parseRegister(reg);
        if (stream !== CASE || register === undefined || heads.length < 2) return [];
        const said = new Set(
          heads.map(({ name }) => contentKey(register, this.find(name)?.entry.value)),
        );
        return said.size > 1 && this.core.mayConflict(register) ? [reg] : [];
      })
      .sort();
  }

  // ---- suggestions
  viewOf(source: string, cell: RegisterCell): CellView {
    const record = this.displayed<Assertion>(formatRegister({ kind: 'assertion', ...cell }));
    const entry = record === undefined ? undefined : this.find(record.name)?.entry;
    return {
      record,
      restored:
        entry === undefined ? [] : this.core.broughtBack(entry, (name) => this.find(name)?.entry),
      document: this.displayed<{ digest: string }>(DOCUMENT_REG)?.value.digest,
      suggestion: this.displayed<Suggestion | null>(
        formatRegister({ kind: 'suggestion', source, ...cell }),
      ),
      decision: this.displayed<SuggestionDecision | null>(
        formatRegister({ kind: 'decision', source, ...cell }),
      ),
    };
  }
  /** Every entry of `s/` that is applied, with its state. */
  suggestions(): { name: string; source: string; cell: RegisterCell; state: SuggestionState }[] {
    return [...this.#entries].flatMap(([name, { register, entry }]) => {
      if (register.kind !== 'suggestion') return [];
      const { kind: _kind, source, ...cell } = register;
      const value = entry.value as Suggestion | null;
      const state = this.core.suggestionState({ name, value }, this.viewOf(source, cell));
      return [{ name, source, cell, state }];
    });
  }
  /** V9: where the first of a chain of undos came from. */
  originOf(shown: string): OutcomeOrigin {
    const entry = this.find(shown)?.entry;
    const chain =
      entry === undefined ? [] : this.core.broughtBack(entry, (one) => this.find(one)?.entry);
    const name = chain.at(-1) ?? shown;
    const parts = parseEntryName(name);
    const held = this.held.get(parts?.id ?? '');
    if (held === undefined || parts === undefined) return { kind: 'own' };
    const registers = this.registersOf(held);
    return this.core.originOf(
      { change: held.change, index: parts.index, registers: (index) => registers[index] },
      (one) => {
        const placed = this.find(one);
        if (placed === undefined) return undefined;
        const layer = layerOf(placed.stream);
        if (layer !== undefined && !this.counts(one, layer.round, layer.recorder)) return undefined;
        return { ...placed, value: placed.entry.value };
      },
    );
  }

  // ---- rounds
  roundIds(): string[] {
    return [
      ...new Set(
        this.#announced.flatMap(({ register }) =>
          register.kind === 'round' ? [register.round] : [],
        ),
      ),
    ];
  }
  round(id: string): RecordingRound | undefined {
    const known = this.#rounds.get(id);
    if (known?.version === this.version) return known.round;
    const round = this.roundBy(id, () => true);
    this.#rounds.set(id, { version: this.version, round });
    return round;
  }
  /** `isTaken` leaves out what was brought in a way that opens nothing. */
  roundBy(
    id: string,
    isTaken: (held: Held, register: Register) => boolean,
  ): RecordingRound | undefined {
    const entries = this.#announced.filter(({ id: change, register }) => {
      const held = this.held.get(change);
      return 'round' in register && held !== undefined && isTaken(held, register);
    });
    return this.core.roundOf(id, entries, hasher);
  }
  layerChanges(round: string, recorder: string): LayerChange[] {
    const stream = layerStream({ case: asCase(CASE), round, recorder });
    return [...this.held.values()].flatMap((held) => {
      if (held.change.case !== stream) return [];
      const registers = this.registersOf(held);
      return [
        {
          id: held.id,
          hlc: held.change.hlc,
          entries: held.change.entries.map(({ parents, value }, index) => ({
            parents,
            value,
            register: registers[index],
          })),
        },
      ];
    });
  }
  committed(round: RecordingRound, recorder: string) {
    return this.core.committedLayer(
      round.commitments.get(recorder) ?? [],
      this.layerChanges(round.id, recorder),
    );
  }
  /** What counts of each recorder; nothing while the round is open. */
  ratings(round: RecordingRound): Map<string, Map<string, Rating>> {
    return new Map(
      round.state === 'open'
        ? []
        : round.terms.recorders.map((recorder) => [
            recorder,
            this.core.ratingsOf(
              round.terms,
              this.layerChanges(round.id, recorder),
              this.committed(round, recorder),
            ),
          ]),
    );
  }
  counts(name: string, round: string, recorder: string): boolean {
    const of = this.round(round);
    if (of === undefined || of.state === 'open') return false;
    return this.committed(of, recorder).ids.has(parseEntryName(name)?.id ?? '');
  }
  // ---- discussion
  /** In the order in which they came. */
  moves(): PlacedMove[] {
    return this.#announced.flatMap(({ id, name, register, value }) =>
      register.kind === 'stage'
        ? [{ name, hlc: this.held.get(id)?.change.hlc ?? '', value: value as StageMove }]
        : [],
    );
  }
  threads(): Discussed[] {
    const said = this.#announced.flatMap(({ id, name, register, value }) => {
      const { by, hlc } = this.held.get(id)?.change ?? {};
      return register.kind === 'thread' && by !== undefined && hlc !== undefined
        ? [{ thread: register.thread, name, hlc, by: `${participantOf(by)}`, value }]
        : [];
    });
    return [...Map.groupBy(said, ({ thread }) => thread)].flatMap(
      ([id, of]) =>
        this.core.threadOf(id, of as Iterable<AuthoredEntry<ThreadEntry>>, hasher) ?? [],
    );
  }
  /** The record as a reader is shown it. */
  recordFor(reader: string, cell: RegisterCell): string | undefined {
    for (const id of this.roundIds()) {
      const round = this.round(id);
      if (round !== undefined && this.core.hidesRecord(round, reader, cell)) return undefined;
    }
    return this.shown(CASE, formatRegister({ kind: 'assertion', ...cell }));
  }
  streams(): string[] {
    return [...new Set([...this.held.values()].map(({ change }) => change.case))];
  }
}
