import { entryName } from '../../../src/sync/change.ts';
import { EMPTY_REGISTER, type HeadEntry, type RegisterState } from '../../../src/sync/heads.ts';
import type { Core } from './core.ts';

/** What a store shows: the heads of each register, and the values that they wrote. */
export class Views {
  registers = new Map<string, RegisterState>();
  values = new Map<string, unknown>();
  core: Core;

  constructor(core: Core) {
    this.core = core;
  }
  copy(): Views {
    const copy = new Views(this.core);
    copy.registers = new Map(this.registers);
    copy.values = new Map(this.values);
    return copy;
  }

  apply(
    reg: string,
    entry: HeadEntry,
    parents: readonly string[],
    value: unknown,
    isSettled: (name: string) => boolean,
  ): void {
    this.values.set(entry.name, value);
    this.registers.set(
      reg,
      this.core.applyEntry(this.registers.get(reg) ?? EMPTY_REGISTER, entry, parents, isSettled),
    );
  }
  heads(reg: string): string[] {
    return (this.registers.get(reg)?.heads ?? []).map(({ name }) => name).sort();
  }
  shown(reg: string): string | undefined {
    return this.core.displayedHead(this.registers.get(reg) ?? EMPTY_REGISTER)?.name;
  }
  regs(): string[] {
    return [...this.registers].filter(([, { heads }]) => heads.length > 0).map(([reg]) => reg);
  }
  /** Names of edits beneath deleted rows that the deletion did not cover, as `<row> <name>`. */
  underDeletion(rows: ReadonlyMap<string, readonly string[]>): string[] {
    const found: string[] = [];
    for (const [row, cells] of rows) {
      const name = this.shown(row);
      const value =
        name === undefined
          ? undefined
          : (this.values.get(name) as { deleted: boolean; covers?: string[] });
      if (name === undefined || value?.deleted !== true) continue;
      const heads = cells.flatMap((cell) => this.registers.get(cell)?.heads ?? []);
      for (const head of this.core.editsUnderDeletion({ name, covers: value.covers ?? [] }, heads))
        found.push(`${row} ${head.name}`);
    }
    return found.sort();
  }
}

export const nameOf = entryName;
