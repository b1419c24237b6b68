import type { Change } from '../../../src/sync/change.ts';

/** What is true of an entry, whatever any store makes of it. */
export interface Fact {
  id: string;
  index: number;
  name: string;
  reg: string;
  op: string;
  value: unknown;
  hlc: string;
  /** The schema version from which on it is applied; Infinity: never. */
  needs: number;
  /** Parents that name an entry of the same register. */
  named: readonly Fact[];
}

/**
 * Facts about entries, kept apart from every store, and what follows from them by the definitions.
 * Uses nothing of the core.
 */
export class Oracle {
  readonly byReg = new Map<string, Fact[]>();
  readonly byName = new Map<string, Fact>();
  readonly written = new Map<string, { change: Change; text: string; facts: Fact[] }>();

  remember(id: string, change: Change, text: string): void {
    if (this.written.has(id)) return;
    const facts = change.entries.map((entry, index): Fact => {
      const named = entry.parents
        .flatMap((parent) => this.byName.get(parent) ?? [])
        .filter((fact) => fact.reg === entry.reg);
      return {
        id,
        index,
        name: `${id}#${index}`,
        reg: entry.reg,
        op: entry.op,
        value: entry.value,
        hlc: change.hlc,
        needs: needsOf(change, index),
        named,
      };
    });
    for (const fact of facts) {
      this.byReg.set(fact.reg, [...(this.byReg.get(fact.reg) ?? []), fact]);
      this.byName.set(fact.name, fact);
    }
    this.written.set(id, { change, text, facts });
  }

  /** The definition: applied entries that no applied entry of the register names. */
  heads(reg: string, applies: (fact: Fact) => boolean): Fact[] {
    const here = (this.byReg.get(reg) ?? []).filter((fact) => applies(fact));
    const named = new Set(here.flatMap((fact) => fact.named));
    return here.filter((fact) => !named.has(fact));
  }
  underDeletion(
    rows: ReadonlyMap<string, readonly string[]>,
    applies: (fact: Fact) => boolean,
  ): string[] {
    const found: string[] = [];
    for (const [row, cells] of rows) {
      const shown = shownOf(this.heads(row, applies));
      const value = shown?.value as { deleted: boolean; covers?: string[] } | undefined;
      if (shown === undefined || value?.deleted !== true) continue;
      for (const fact of cells.flatMap((cell) => this.heads(cell, applies)))
        if (fact.id !== shown.id && value.covers?.includes(fact.name) !== true)
          found.push(`${row} ${fact.name}`);
    }
    return found.sort();
  }
}

const schemaOf = (reg: string): number =>
  reg.startsWith('policy/') ? 4 : reg.startsWith('document/') ? 2 : 1;

function needsOf(change: Change, index: number): number {
  const entry = change.entries[index] as Change['entries'][number] & { schema?: number };
  const known = /^(a|item|run|document|policy)\//.test(entry.reg);
  const wellFormed =
    entry.op === 'announce' ||
    (entry.op === 'set'
      ? entry.parents.length <= 1
      : entry.parents.length > 0 && change.why !== null);
  return known && wellFormed
    ? Math.max(change.at.schema, entry.schema ?? 1, schemaOf(entry.reg))
    : Infinity;
}

/** The greatest by clock, change and index. */
export function shownOf(heads: readonly Fact[]): Fact | undefined {
  return heads.toSorted((a, b) =>
    a.hlc === b.hlc
      ? a.id === b.id
        ? b.index - a.index
        : a.id < b.id
          ? 1
          : -1
      : a.hlc < b.hlc
        ? 1
        : -1,
  )[0];
}
export const namesOf = (facts: readonly Fact[]): string =>
  facts
    .map(({ name }) => name)
    .sort()
    .join();
