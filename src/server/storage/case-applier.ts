import { MAX_ITEMS } from '../../shared/contract/v1/evidence.ts';
import type { Entry } from '../../sync/change.ts';
import type { Register } from '../../sync/register.ts';
import { type CaseView, internRules } from './case-view.ts';
import { assertionSlot, type CellBook, notesSlot } from './cell-book.ts';
import type { WriteContext } from './context.ts';
import type { Slot } from './head-book.ts';
import type { ItemRow } from './item-book.ts';
import type { Judged, LogView } from './log-view.ts';
import { Pace, pause } from './pace.ts';

/** Brings entries into the views of a case. */
export class CaseApplier implements LogView {
  readonly #ctx: WriteContext;
  readonly #view: CaseView;
  readonly #matrices = new Map<string, CellBook>();
  #rules = new Map<string, number>();

  constructor(ctx: WriteContext, view: CaseView) {
    this.#ctx = ctx;
    this.#view = view;
  }

  async prepare(received: readonly Judged[]): Promise<void> {
    const view = this.#view;
    const items = new Set<string>();
    const rules = new Set<string>();
    const regs = new Set<string>();
    const caseRegs = new Set<string>();
    const parents = new Set<string>();
    const matrices = new Map<string, { profile: string; version: string; items: Set<string>; rules: Set<string>; entries: number }>();
    for (const { change, registers } of received) {
      for (const [index, register] of registers.entries()) {
        if (register === undefined) continue;
        const entry = change.entries[index] as Entry;
        regs.add(entry.reg);
        for (const name of entry.parents) parents.add(name.slice(0, name.lastIndexOf('#')));
        if (register.kind === 'case') caseRegs.add(entry.reg);
        if (register.kind === 'item') items.add(register.item);
        if (register.kind === 'assertion' || register.kind === 'notes') {
          items.add(register.item);
          rules.add(register.rule);
          const key = `${register.profile}@${register.version}`;
          const matrix = matrices.get(key) ?? { profile: register.profile, version: register.version, items: new Set(), rules: new Set(), entries: 0 };
          matrix.items.add(register.item);
          matrix.rules.add(register.rule);
          matrix.entries += 1;
          matrices.set(key, matrix);
        }
      }
      await pause();
    }
    await view.items.load([...items]);
    await view.items.create([...items]);
    if (rules.size > 0) this.#rules = await internRules(this.#ctx, rules);
    const seqs = new Set<number>();
    for (const [key, matrix] of matrices) await this.#prepareMatrix(key, matrix, seqs);
    for (const item of view.items.values()) for (const [seq] of Object.values(item.heads)) seqs.add(seq);
    await view.registers.load([...caseRegs]);
    for (const seq of view.registers.seqs()) seqs.add(seq);
    await view.heads.load([...regs]);
    await view.stream.changes.loadSeqs(seqs);
    await view.stream.changes.loadIds(parents);
  }

  async #prepareMatrix(key: string, matrix: { profile: string; version: string; items: Set<string>; rules: Set<string>; entries: number }, seqs: Set<number>): Promise<void> {
    const book = await this.#view.matrix(matrix.profile, matrix.version);
    this.#matrices.set(key, book);
    const known = [...matrix.items].map((uid) => this.#view.items.get(uid) as ItemRow).filter((item) => !item.isNew);
    const dense = matrix.rules.size > 10 && matrix.entries > 0.5 * matrix.items.size * matrix.rules.size;
    await book.load(known.map((item) => item.pk), [...matrix.rules].map((rule) => this.#rules.get(rule) as number), dense);
    for (const cell of book.values()) {
      if (cell.headSeq !== null) seqs.add(cell.headSeq);
      if (cell.notesSeq !== null) seqs.add(cell.notesSeq);
    }
  }

  overfull(received: readonly Judged[]): Judged | undefined {
    const { items, stored } = this.#view;
    const rows = new Set<string>();
    return received.find(({ registers }) => {
      const before = rows.size;
      for (const register of registers) if (register !== undefined && 'item' in register && items.get(register.item)?.isNew === true) rows.add(register.item);
      return rows.size > before && stored.itemRows + rows.size > MAX_ITEMS;
    });
  }

  async apply({ change, registers }: Judged, seq: number): Promise<void> {
    const pace = new Pace();
    for (const [index, register] of registers.entries()) {
      if (register === undefined) continue;
      const entry = change.entries[index] as Entry;
      if (register.kind === 'run') this.#view.announce(register.run, entry.value as { content_hash: string });
      const slot = this.#slot(register, entry.reg);
      if (slot !== undefined) await this.#view.heads.apply(slot, { seq, index, parents: entry.parents, value: entry.value });
      if (pace.due()) await pause();
    }
  }

  flush(): Promise<void> {
    return this.#view.flush();
  }

  /** Announcements have no heads: two of one run are no conflict. */
  #slot(register: Register, reg: string): Slot | undefined {
    const view = this.#view;
    switch (register.kind) {
      case 'assertion':
      case 'notes': {
        const item = view.items.get(register.item) as ItemRow;
        const cell = (this.#matrices.get(`${register.profile}@${register.version}`) as CellBook).getOrCreate(item.pk, this.#rules.get(register.rule) as number);
        return register.kind === 'assertion' ? assertionSlot(cell, reg) : notesSlot(cell, reg);
      }
      case 'item':
        return view.items.slot(view.items.get(register.item) as ItemRow, register.field);
      case 'case':
        return view.registers.slot(reg, (value) => view.showField(register.field, value));
      default:
        return undefined;
    }
  }
}
