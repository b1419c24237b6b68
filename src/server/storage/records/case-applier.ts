import { MAX_ITEMS } from '../../../shared/contract/v1/evidence.ts';
import { type Entry, entryName } from '../../../sync/change.ts';
import { isAnnounced } from '../../../sync/layers/authors.ts';
import { isOfItem } from '../../../sync/layers/record.ts';
import type { Register } from '../../../sync/register.ts';
import { type CaseView, internRules } from './case-view.ts';
import type { CellMap } from '../log/cell-map.ts';
import type { WriteContext } from '../db/context.ts';
import type { RegisterBinding } from '../log/head-map.ts';
import type { ItemState } from '../log/item-map.ts';
import type { ValidatedChange, LogView } from '../log/log-view.ts';
import { WorkCounter, yieldToEventLoop } from '../db/event-loop.ts';
import { pipelined } from '../db/session.ts';
import { assertionBinding, notesBinding } from '../log/cell-registers.ts';
import type { ProfileUid } from '../../../shared/contract/ids.ts';

/** The cells of one matrix that entries write. */
interface NeededCells {
  profile: ProfileUid;
  version: string;
  items: Set<string>;
  rules: Set<string>;
  entries: number;
}

/** Registers of the case itself: their heads are beside its row. */
const CASE_KINDS: ReadonlySet<Register['kind']> = new Set([
  'case',
  'document',
  'hidden',
  'policy',
  'round',
]);

/** What of the store entries write or cite. */
class Needed {
  readonly items = new Set<string>();
  /** Those of which a field is written: only of these the heads are needed. */
  readonly written = new Set<string>();
  readonly rules = new Set<string>();
  readonly regs = new Set<string>();
  readonly caseRegs = new Set<string>();
  /** Changes that hold the parents. */
  readonly parents = new Set<string>();
  readonly matrices = new Map<string, NeededCells>();
  readonly layers: Register[] = [];

  add(register: Register, entry: Entry): void {
    this.regs.add(entry.reg);
    for (const name of entry.parents) this.parents.add(name.slice(0, name.lastIndexOf('#')));
    if (CASE_KINDS.has(register.kind)) this.caseRegs.add(entry.reg);
    else if (!isOfItem(register)) this.layers.push(register);
    if (register.kind === 'item') {
      this.items.add(register.item);
      this.written.add(register.item);
    }
    if (register.kind === 'assertion' || register.kind === 'notes') this.#addCell(register);
  }

  #addCell({ profile, version, item, rule }: CellRegister): void {
    this.items.add(item);
    this.rules.add(rule);
    const key = `${profile}@${version}`;
    const matrix = this.matrices.get(key) ?? {
      profile,
      version,
      items: new Set(),
      rules: new Set(),
      entries: 0,
    };
    matrix.items.add(item);
    matrix.rules.add(rule);
    matrix.entries += 1;
    this.matrices.set(key, matrix);
  }
}
type CellRegister = Extract<Register, { kind: 'assertion' | 'notes' }>;

async function neededFor(received: readonly ValidatedChange[]): Promise<Needed> {
  const needed = new Needed();
  const work = new WorkCounter();
  for (const { change, registers } of received) {
    for (const [index, register] of registers.entries())
      if (register !== undefined) needed.add(register, change.entries[index] as Entry);
    if (work.due(registers.length)) await yieldToEventLoop();
  }
  return needed;
}

/** Brings entries into the views of a case. */
export class CaseApplier implements LogView {
  readonly #ctx: WriteContext;
  readonly #view: CaseView;
  readonly #matrices = new Map<string, CellMap>();
  #rules = new Map<string, number>();

  constructor(ctx: WriteContext, view: CaseView) {
    this.#ctx = ctx;
    this.#view = view;
  }

  async prepare(received: readonly ValidatedChange[]): Promise<void> {
    const view = this.#view;
    const { stream } = view;
    const needed = await neededFor(received);
    const { items, rules, regs, caseRegs, parents, matrices, layers } = needed;
    // Two round trips: first everything that is found by name, then the cells. The changes that
    // entries cite are loaded by then, and nearly all displayed heads are among them.
    const [, loaded] = await pipelined(
      view.items.load([...items]),
      pipelined(
        ...[...matrices].map(
          async ([key, matrix]) =>
            [key, await view.matrix(matrix.profile, matrix.version)] as const,
        ),
      ),
      internRules(this.#ctx, rules).then((pks) => (this.#rules = pks)),
      view.registers.load([...caseRegs]),
      view.heads.load([...regs]),
      stream.changes.loadIds(parents),
      view.layers.load(layers),
    );
    for (const [key, cells] of loaded) this.#matrices.set(key, cells);
    const created = view.items.create([...items]);
    await pipelined(
      created,
      ...[...matrices].map(([key, matrix]) =>
        this.#loadCells(this.#matrices.get(key) as CellMap, matrix),
      ),
    );
    const seqs = new Set(view.registers.seqs());
    for (const uid of needed.written)
      for (const [seq] of Object.values(view.items.get(uid)?.heads ?? {})) seqs.add(seq);
    for (const cells of this.#matrices.values()) for (const seq of cells.headSeqs()) seqs.add(seq);
    for (const seq of view.layers.headSeqs()) seqs.add(seq);
    await stream.changes.loadSeqs(seqs);
  }

  async #loadCells(cells: CellMap, { items, rules, entries }: NeededCells): Promise<void> {
    const known = [...items]
      .flatMap((uid) => this.#view.items.get(uid) ?? [])
      .filter((item) => !item.isNew);
    const dense = rules.size > 10 && entries > 0.5 * items.size * rules.size;
    await cells.load(
      known.map((item) => item.pk),
      [...rules].map((rule) => this.#rules.get(rule) as number),
      dense,
    );
  }

  overfull(received: readonly ValidatedChange[]): ValidatedChange | undefined {
    const { items, stored } = this.#view;
    const rows = new Set<string>();
    return received.find(({ registers }) => {
      const before = rows.size;
      for (const register of registers)
        if (
          register !== undefined &&
          isOfItem(register) &&
          items.get(register.item)?.isNew === true
        )
          rows.add(register.item);
      return rows.size > before && stored.itemRows + rows.size > MAX_ITEMS;
    });
  }

  async apply({ id, change, registers, unopening }: ValidatedChange, seq: number): Promise<void> {
    const work = new WorkCounter();
    for (const [index, register] of registers.entries()) {
      if (register === undefined) continue;
      const entry = change.entries[index] as Entry;
      if (register.kind === 'run')
        this.#view.announce(register.run, entry.value as { content_hash: string });
      if (isAnnounced(register)) {
        const at = { seq, index };
        this.#view.rounds.announce(register, entry.value, at, unopening?.has(index) !== true);
        const mark = { hlc: change.hlc, name: entryName(id, index) };
        this.#view.signOff.announce(register, entry.value, at, mark);
      }
      const binding = this.binding(register, entry.reg);
      if (binding !== undefined)
        await this.#view.heads.apply(binding, {
          seq,
          index,
          parents: entry.parents,
          value: entry.value,
          restores: entry.restores,
        });
      this.#view.layers.note(register, entry.value, { seq, index }, change.by);
      if (work.due()) await yieldToEventLoop();
    }
  }

  flush(): Promise<void> {
    return this.#view.flush();
  }

  /**
   * The register of a prepared entry. Announcements of runs have no heads: announcing one run twice
   * is no conflict.
   */
  binding(register: Register, reg: string): RegisterBinding | undefined {
    const view = this.#view;
    switch (register.kind) {
      case 'assertion':
      case 'notes': {
        const item = view.items.get(register.item) as ItemState;
        const cell = (
          this.#matrices.get(`${register.profile}@${register.version}`) as CellMap
        ).getOrCreate(item.pk, this.#rules.get(register.rule) as number);
        return register.kind === 'assertion'
          ? assertionBinding(cell, reg)
          : notesBinding(cell, reg);
      }
      case 'item':
        return view.items.binding(view.items.get(register.item) as ItemState, register.field);
      case 'case':
        return view.registers.binding(reg, (value) => view.showField(register.field, value));
      case 'hidden':
        return view.registers.binding(reg, (value) => view.showRun(register.run, value === true));
      case 'round':
        return register.field === 'title'
          ? view.registers.binding(reg, (value) =>
              view.rounds.show(register.round, value as string),
            )
          : undefined;
      case 'document':
        return view.documents.binding(register.profile, register.version);
      case 'policy':
        return view.registers.binding(reg, (value) => view.requireSource(value));
      default:
        return view.layers.binding(register, reg);
    }
  }
}
