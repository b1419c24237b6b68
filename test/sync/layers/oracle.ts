import { createHash } from 'node:crypto';
import type { Author, Change } from '../../../src/sync/change.ts';
import { canonicalJson } from '../../../src/shared/lib/canonical-json.ts';
import { CASE, DOCUMENT_REG } from './cast.ts';

/** What is true of an entry, whatever any store makes of it. */
export interface Fact {
  id: string;
  index: number;
  name: string;
  stream: string;
  reg: string;
  op: string;
  value: Record<string, unknown> | string | null;
  parents: readonly string[];
  hlc: string;
  by: Author;
  why: string | null;
  from: unknown;
  restores: unknown;
  /** The schema version from which on it is applied; Infinity: never. */
  needs: number;
}
/** A store, as far as definitions need it. */
export interface Seen {
  has: (id: string) => boolean;
  schema: number;
}
export interface TrueRound {
  id: string;
  recorders: readonly string[];
  quorum: number;
  released: boolean;
  removed: ReadonlySet<string>;
  record: unknown;
  done: ReadonlyMap<string, readonly Record<string, unknown>[]>;
}

const speaker = ({ kind, key, user, agent }: Author): string | null =>
  kind === 'agent' ? key : key === null && agent === null ? user : null;
const isHuman = ({ kind, key, agent }: Author): boolean =>
  kind === 'human' && key === null && agent === null;
const field = (value: Fact['value'], name: string): unknown =>
  typeof value === 'object' && value !== null ? value[name] : undefined;
const same = (a: unknown, b: unknown): boolean =>
  canonicalJson(a ?? null) === canonicalJson(b ?? null);
/** YT3. */
const maySay = (by: Author, value: Fact['value']): boolean => {
  const does = field(value, 'does');
  if (does === 'comment' || does === 'answer') return speaker(by) !== null;
  if (does === 'open' && field(value, 'assigned_to') === undefined)
    return field(value, 'opened_by') === speaker(by);
  return isHuman(by) && (does !== 'open' || field(value, 'opened_by') === by.user);
};
/** The part of an address behind `a/`, or behind `s/<source>/`. */
const cellOf = (reg: string): string => reg.slice(reg.indexOf('test_profile'));
const sourceOf = (reg: string): string => reg.split('/')[1] ?? '';

/**
 * Facts about entries, and what follows from them by the definitions of SPEC.md. Uses nothing of
 * the core.
 */
export class Oracle {
  readonly byId = new Map<string, Fact[]>();
  readonly byName = new Map<string, Fact>();
  readonly texts = new Map<string, string>();
  readonly #rounds = new WeakMap<Seen, TrueRound[]>();
  readonly #byReg = new Map<string, Fact[]>();
  /** What a recorder stood by when committing, by the sum. */
  readonly stoodBy = new Map<string, ReadonlySet<string>>();

  remember(id: string, text: string, change: Change): void {
    if (this.texts.has(id)) return;
    this.texts.set(id, text);
    const facts = change.entries.map((entry, index): Fact => ({
      id,
      index,
      name: `${id}#${index}`,
      stream: change.case,
      reg: entry.reg,
      op: entry.op,
      value: entry.value as Fact['value'],
      parents: entry.parents,
      hlc: change.hlc,
      by: change.by,
      why: change.why,
      from: entry.from,
      restores: entry.restores,
      needs: Infinity,
    }));
    for (const fact of facts) fact.needs = this.#needs(fact, facts);
    this.byId.set(id, facts);
    for (const fact of facts) {
      this.byName.set(fact.name, fact);
      const key = `${fact.stream} ${fact.reg}`;
      this.#byReg.set(key, [...(this.#byReg.get(key) ?? []), fact]);
    }
  }
  #needs(fact: Fact, all: readonly Fact[]): number {
    const { stream, reg, op, by, value, parents, why } = fact;
    if (op === 'set' ? parents.length > 1 : op === 'resolve' ? parents.length === 0 : false)
      return Infinity;
    if (stream.startsWith('@layer/'))
      return /^(a|n|committed)\//.test(reg) && speaker(by) === stream.split('/').at(-1)
        ? 4
        : Infinity;
    const [kind, , what, whom] = reg.split('/');
    if (kind === 'document') return 2;
    if (kind === 'a' || kind === 'item') return 1;
    if (kind === 's') return speaker(by) === sourceOf(reg) ? 4 : Infinity;
    if (kind === 'd') return isHuman(by) && this.#isWhole(fact, all) ? 4 : Infinity;
    if (kind === 'thread') return maySay(by, value) ? 5 : Infinity;
    if (kind === 'assigned') return isHuman(by) ? 5 : Infinity;
    if (kind === 'stage')
      return op === 'announce' && isHuman(by) && (why ?? '') !== '' ? 6 : Infinity;
    if (kind !== 'round') return Infinity;
    if (what === 'done') return speaker(by) === whom ? 4 : Infinity;
    if (what === 'terms')
      return isHuman(by) && field(value, 'opened_by') === by.user ? 4 : Infinity;
    if (what === 'state') return isHuman(by) && (why ?? '') !== '' ? 4 : Infinity;
    return isHuman(by) ? 4 : Infinity;
  }
  /** Whether what accepts comes behind the outcome that it accepts. */
  #isWhole({ index, value, reg }: Fact, all: readonly Fact[]): boolean {
    if (field(value, 'verdict') !== 'accepted') return true;
    const before = all[index - 1];
    return (
      before !== undefined &&
      before.reg === `a/${cellOf(reg)}` &&
      before.needs === 1 &&
      field(before.value, 'raw_outcome') !== null &&
      same(before.from, [field(value, 'entry')])
    );
  }

  applies({ has, schema }: Seen, fact: Fact): boolean {
    return has(fact.id) && fact.needs <= schema;
  }
  heads(seen: Seen, stream: string, reg: string): Fact[] {
    const here = (this.#byReg.get(`${stream} ${reg}`) ?? []).filter(
      (fact) => fact.op !== 'announce' && this.applies(seen, fact),
    );
    const named = new Set(here.flatMap(({ parents }) => parents));
    return here.filter(({ name }) => !named.has(name));
  }
  shown(seen: Seen, stream: string, reg: string): Fact | undefined {
    return this.heads(seen, stream, reg).sort((a, b) =>
      a.hlc !== b.hlc
        ? a.hlc < b.hlc
          ? 1
          : -1
        : a.id !== b.id
          ? a.id < b.id
            ? 1
            : -1
          : b.index - a.index,
    )[0];
  }
  /** Registers that anybody wrote, as `[stream, reg]`. */
  regs(): [string, string][] {
    return [...this.#byReg.keys()].map((key) => key.split(' ') as [string, string]);
  }
  rows(seen: Seen): string[] {
    const rows = [...this.byName.values()].flatMap((fact) =>
      fact.stream === CASE && fact.reg.startsWith('a/') && this.applies(seen, fact)
        ? [fact.reg.split('/').at(-1) as string]
        : [],
    );
    return [...new Set(rows)].sort();
  }
  contested(seen: Seen): string[] {
    return this.regs()
      .flatMap(([stream, reg]) => {
        if (stream !== CASE || !/^(a|d|document|round)\//.test(reg)) return [];
        const said = new Set(
          this.heads(seen, stream, reg).map(({ value }) =>
            canonicalJson(
              reg.startsWith('a/')
                ? [field(value, 'raw_outcome') ?? null, field(value, 'source_value') ?? null]
                : reg.startsWith('d/')
                  ? [field(value, 'entry') ?? null, field(value, 'verdict') ?? null]
                  : value,
            ),
          ),
        );
        return said.size > 1 ? [reg] : [];
      })
      .sort();
  }

  // ---- suggestions
  state(seen: Seen, fact: Fact): string {
    const cell = cellOf(fact.reg);
    const decision = this.shown(seen, CASE, `d/${sourceOf(fact.reg)}/${cell}`);
    if (field(decision?.value ?? null, 'entry') === fact.name)
      return field(decision?.value ?? null, 'verdict') as string;
    if (this.shown(seen, CASE, fact.reg) !== fact) return 'superseded';
    if (fact.value === null) return 'withdrawn';
    return this.isStale(seen, fact) ? 'stale' : 'open';
  }
  isStale(seen: Seen, fact: Fact): boolean {
    const record = this.shown(seen, CASE, `a/${cellOf(fact.reg)}`);
    const document = this.shown(seen, CASE, DOCUMENT_REG);
    const read = field(fact.value, 'document');
    if (read !== undefined && document !== undefined && field(document.value, 'digest') !== read)
      return true;
    const basis = field(fact.value, 'basis');
    if (basis === null)
      return (
        record !== undefined &&
        (field(record.value, 'raw_outcome') !== null ||
          field(record.value, 'source_value') !== undefined)
      );
    return record === undefined || !this.chain(seen, record).includes(basis as string);
  }
  /** An entry and what it brings back. */
  chain(seen: Seen, fact: Fact): string[] {
    const before = typeof fact.restores === 'string' ? this.byName.get(fact.restores) : undefined;
    return before !== undefined &&
      before.reg === fact.reg &&
      this.applies(seen, before) &&
      same(before.value, fact.value)
      ? [fact.name, ...this.chain(seen, before)]
      : [fact.name];
  }
  first(seen: Seen, fact: Fact): Fact {
    return this.byName.get(this.chain(seen, fact).at(-1) ?? '') ?? fact;
  }
  /** In a word: what the outcome of an entry comes from. */
  origin(seen: Seen, fact: Fact): string {
    const names = fact.from;
    if (!Array.isArray(names) || names.length === 0 || !isHuman(fact.by)) return 'own';
    const found = names.map((name) => this.byName.get(name as string));
    const known = found.map((one) =>
      one !== undefined &&
      this.applies(seen, one) &&
      (one.stream === CASE || this.counted(seen, one))
        ? one
        : undefined,
    );
    if (known.includes(undefined)) return 'awaited';
    const all = known as Fact[];
    const [first] = all as [Fact];
    if (first.stream === CASE) {
      const behind = this.byId.get(fact.id)?.[fact.index + 1];
      return all.length === 1 &&
        first.reg.startsWith('s/') &&
        cellOf(first.reg) === cellOf(fact.reg) &&
        behind !== undefined &&
        this.applies(seen, behind) &&
        behind.reg === first.reg.replace('s/', 'd/') &&
        field(behind.value, 'verdict') === 'accepted' &&
        field(behind.value, 'entry') === first.name &&
        field(first.value, 'raw_outcome') === field(fact.value, 'raw_outcome')
        ? `accepted ${first.name} of ${sourceOf(first.reg)} by ${fact.by.user}`
        : 'own';
    }
    const round = first.stream.split('/')[2];
    const isSettled =
      all.every(({ stream, reg }) => stream.split('/')[2] === round && reg === fact.reg) &&
      new Set(all.map(({ stream }) => stream)).size === all.length;
    if (!isSettled) return 'own';
    if (all.every(({ value }) => field(value, 'raw_outcome') === field(fact.value, 'raw_outcome')))
      return `agreed ${names.join()}`;
    return (fact.why ?? '') === '' ? 'own' : `adjudicated ${names.join()}`;
  }

  // ---- rounds
  /** `seen` is another object whenever the store has changed. */
  rounds(seen: Seen): TrueRound[] {
    let known = this.#rounds.get(seen);
    if (known === undefined) this.#rounds.set(seen, (known = this.#roundsOf(seen)));
    return known;
  }
  #roundsOf(seen: Seen): TrueRound[] {
    const facts = [...this.byName.values()].filter(
      (fact) => fact.reg.startsWith('round/') && this.applies(seen, fact),
    );
    return facts.flatMap(({ reg, value }) => {
      const [, id = '', what] = reg.split('/');
      if (what !== 'terms') return [];
      const hash = createHash('sha256').update(canonicalJson(value)).digest('base64url');
      if (`rnd_${hash.slice(0, 26)}` !== id) return [];
      const of = facts.filter((fact) => fact.reg.split('/')[1] === id);
      const recorders = field(value, 'recorders') as string[];
      const done = new Map<string, Record<string, unknown>[]>();
      for (const fact of of) {
        const [, , about, whom = ''] = fact.reg.split('/');
        if (about !== 'done') continue;
        const before = done.get(whom) ?? [];
        if (before.every((one) => !same(one, fact.value)))
          done.set(whom, [...before, fact.value as Record<string, unknown>]);
      }
      const quorum = field(value, 'quorum') as number;
      const inTime = recorders.filter((recorder) =>
        done.get(recorder)?.some((one) => one['after_release'] === undefined),
      );
      return [
        {
          id,
          recorders,
          quorum,
          done,
          record: field(value, 'record'),
          removed: new Set(
            of.flatMap((fact) =>
              fact.reg.includes('/removed/') ? [fact.reg.split('/')[3] ?? ''] : [],
            ),
          ),
          released: of.some((fact) => fact.reg.endsWith('/state')) || inTime.length >= quorum,
        },
      ];
    });
  }
  /** What a recorder stood by who committed to this; undefined where nobody did. */
  truth(
    round: string,
    recorder: string,
    { sum, count }: Record<string, unknown>,
  ): ReadonlySet<string> | undefined {
    const ids = this.stoodBy.get(`${round} ${recorder} ${String(sum)}`);
    return ids?.size === count ? ids : undefined;
  }
  /** The changes of a layer that count, by what their recorder stood by. */
  committedIds(seen: Seen, round: TrueRound, recorder: string): ReadonlySet<string> {
    const done = round.done.get(recorder) ?? [];
    const [one] = done;
    if (one === undefined || done.length > 1 || one['after_release'] !== undefined)
      return new Set();
    const ids = this.truth(round.id, recorder, one);
    if (ids === undefined) return new Set();
    const listed = [...this.byName.values()].some(
      (fact) =>
        fact.reg.startsWith(`committed/${String(one['sum'])}/`) &&
        fact.stream.endsWith(`${round.id}/${recorder}`) &&
        this.applies(seen, fact),
    );
    return (ids.size === 0 || listed) && [...ids].every((id) => seen.has(id)) ? ids : new Set();
  }
  counted(seen: Seen, fact: Fact): boolean {
    const [, , id, recorder = ''] = fact.stream.split('/');
    const round = this.rounds(seen).find((one) => one.id === id);
    return round?.released === true && this.committedIds(seen, round, recorder).has(fact.id);
  }
  /** `<cell> <recorder> <outcome>` of everything that counts. */
  ratings(seen: Seen, round: TrueRound): string[] {
    if (!round.released) return [];
    return round.recorders
      .flatMap((recorder) => {
        const ids = this.committedIds(seen, round, recorder);
        const only: Seen = { has: (id) => ids.has(id), schema: seen.schema };
        const stream = `@layer/${CASE}/${round.id}/${recorder}`;
        return this.regs().flatMap(([of, reg]) => {
          if (of !== stream || !reg.startsWith('a/')) return [];
          const shown = this.shown(only, stream, reg);
          const outcome = field(shown?.value ?? null, 'raw_outcome');
          return typeof outcome === 'string'
            ? [`${reg} ${recorder} ${outcome} ${shown?.name}`]
            : [];
        });
      })
      .sort();
  }
}
