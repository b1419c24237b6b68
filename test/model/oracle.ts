/**
 * What a set of changes means, by the definitions of src/sync/SPEC.md and nothing cleverer: sets,
 * and a look through all of them.
 */
import { createHash } from 'node:crypto';
import type { SealedChange } from '../../src/sync/change.ts';

export interface ModelEntry {
  name: string;
  id: string;
  index: number;
  reg: string;
  hlc: string;
  op: string;
  parents: readonly string[];
  value: unknown;
}

export interface ModelCell {
  raw_outcome: string | null;
  source_value: string | null;
  provenance: unknown;
  notes: string | null;
  contested: boolean;
}

export interface ModelItem {
  item_uid: string;
  item_type: string;
  label: string;
  position: number;
  metadata: unknown;
  /** By rule; cells with nothing to show are left out. */
  cells: Record<string, ModelCell>;
}

export interface ModelView {
  items: ModelItem[];
  summary: {
    items: number;
    recorded: number;
    evidence_present: number;
    problem_found: number;
    not_available: number;
  };
}

/** Parts of an address: a register's kind, and what it is about. */
const CELL = /^(a|n)\/([^/]+)\/([^/]+)\/(.+)$/s;
const ITEM = /^item\/([a-z_]+)\/(.+)$/s;

const byRank = (a: ModelEntry, b: ModelEntry): number => {
  const [left, right] = [
    [a.hlc, a.id],
    [b.hlc, b.id],
  ].map((parts) => parts.join(' ')) as [string, string];
  return left === right ? b.index - a.index : left < right ? 1 : -1;
};

export class Oracle {
  /** In the order in which they were added. */
  readonly ids: string[] = [];
  readonly changes = new Map<string, SealedChange>();
  readonly quarantined = new Map<string, readonly number[]>();
  readonly #byRegister = new Map<string, ModelEntry[]>();

  /** `quarantined`: the entries that must not be applied. Adding again changes nothing. */
  add(sealed: SealedChange, quarantined: readonly number[]): void {
    if (this.changes.has(sealed.id)) return;
    this.ids.push(sealed.id);
    this.changes.set(sealed.id, sealed);
    this.quarantined.set(sealed.id, quarantined);
    sealed.change.entries.forEach((entry, index) => {
      if (quarantined.includes(index)) return;
      const entries = this.#byRegister.get(entry.reg) ?? [];
      entries.push({
        name: `${sealed.id}#${index}`,
        id: sealed.id,
        index,
        reg: entry.reg,
        hlc: sealed.change.hlc,
        op: entry.op,
        parents: entry.parents,
        value: entry.value,
      });
      this.#byRegister.set(entry.reg, entries);
    });
  }

  has(id: string): boolean {
    return this.changes.has(id);
  }

  /** The displayed one first. */
  heads(reg: string): ModelEntry[] {
    const entries = this.#byRegister.get(reg) ?? [];
    const named = new Set(entries.flatMap((entry) => entry.parents));
    return entries.filter((entry) => !named.has(entry.name)).sort(byRank);
  }

  entries(reg: string): readonly ModelEntry[] {
    return this.#byRegister.get(reg) ?? [];
  }

  registers(): string[] {
    return [...this.#byRegister.keys()];
  }

  shown(reg: string): unknown {
    return this.heads(reg)[0]?.value;
  }

  /** Every item that an applied entry is about. */
  itemUids(): string[] {
    const uids = this.registers().flatMap(
      (reg) => CELL.exec(reg)?.[4] ?? ITEM.exec(reg)?.[2] ?? [],
    );
    return [...new Set(uids)];
  }

  isDeleted(item: string): boolean {
    return (this.shown(`item/x/${item}`) as { deleted: boolean } | undefined)?.deleted === true;
  }

  /** Fields of the case itself, of those that anybody has written. */
  caseFields(): Record<string, unknown> {
    return Object.fromEntries(
      this.registers().flatMap((reg) =>
        reg.startsWith('case/') ? [[reg.slice(5), this.shown(reg)]] : [],
      ),
    );
  }

  isCaseDeleted(): boolean {
    return (this.shown('case/x') as { deleted: boolean } | undefined)?.deleted === true;
  }

  /**
   * Registers beneath a deletion with a head that it does not name and that is not of its own
   * change, with all their heads.
   */
  beneath(
    matrix: string,
    rules: readonly string[],
  ): [item: string, rule: string | null, field: string, deletion: string, heads: string[]][] {
    return this.itemUids()
      .filter((uid) => this.isDeleted(uid))
      .flatMap((uid) => {
        const [deletion] = this.heads(`item/x/${uid}`);
        const { covers } = (deletion?.value ?? {}) as { covers?: string[] };
        if (deletion === undefined || covers === undefined) return [];
        const registers: [string, string | null, string][] = [
          ...['item_type', 'label', 'metadata'].map((field): [string, null, string] => [
            `item/${field}/${uid}`,
            null,
            field,
          ]),
          ...rules.flatMap((rule): [string, string, string][] => [
            [`a/${matrix}/${rule}/${uid}`, rule, 'outcome'],
            [`n/${matrix}/${rule}/${uid}`, rule, 'notes'],
          ]),
        ];
        return registers.flatMap(([reg, rule, field]): ReturnType<Oracle['beneath']> => {
          const heads = this.heads(reg);
          return heads.some(({ name, id }) => id !== deletion.id && !covers.includes(name))
            ? [[uid, rule, field, deletion.name, heads.map(({ name }) => name).sort()]]
            : [];
        });
      });
  }

  cell(matrix: string, rule: string, item: string): ModelCell {
    const assertions = this.heads(`a/${matrix}/${rule}/${item}`).map(
      (head) =>
        head.value as { raw_outcome: string | null; source_value?: string; provenance?: unknown },
    );
    const notes = this.heads(`n/${matrix}/${rule}/${item}`).map(
      (head) => head.value as string | null,
    );
    const said = new Set(
      assertions.map((one) => JSON.stringify([one.raw_outcome, one.source_value ?? null])),
    );
    const [first] = assertions;
    return {
      raw_outcome: first?.raw_outcome ?? null,
      source_value: first?.source_value ?? null,
      provenance: first?.provenance ?? null,
      notes: notes[0] ?? null,
      contested: said.size > 1 || new Set(notes).size > 1,
    };
  }

  view(matrix: string, rules: readonly string[]): ModelView {
    const summary = {
      items: 0,
      recorded: 0,
      evidence_present: 0,
      problem_found: 0,
      not_available: 0,
    };
    const field = <T>(item: string, name: string, otherwise: T): T =>
      (this.shown(`item/${name}/${item}`) as T | undefined) ?? otherwise;
    const items = this.itemUids()
      .filter((uid) => !this.isDeleted(uid))
      .map((item_uid): ModelItem => {
        const cells: Record<string, ModelCell> = {};
        for (const rule of rules) {
          const cell = this.cell(matrix, rule, item_uid);
          if (cell.raw_outcome !== null) summary.recorded += 1;
          if (cell.raw_outcome === 'FALSE') summary.evidence_present += 1;
          if (cell.raw_outcome === 'TRUE') summary.problem_found += 1;
          if (cell.raw_outcome === 'NA') summary.not_available += 1;
          if (
            cell.raw_outcome !== null ||
            cell.source_value !== null ||
            cell.provenance !== null ||
            cell.notes !== null ||
            cell.contested
          )
            cells[rule] = cell;
        }
        return {
          item_uid,
          item_type: field(item_uid, 'item_type', 'item'),
          label: field(item_uid, 'label', ''),
          position: field(item_uid, 'position', 0),
          metadata: field<unknown>(item_uid, 'metadata', {}),
          cells,
        };
      });
    items.sort(
      (a, b) =>
        a.position - b.position || Buffer.compare(Buffer.from(a.item_uid), Buffer.from(b.item_uid)),
    );
    summary.items = items.length;
    return { items, summary };
  }
}

/** Chain and sum of a log that holds these ids in this order (L2, L3), by Node's own hash. */
export function digestOf(ids: readonly string[]): {
  seq: number;
  chain: string;
  count: number;
  sum: string;
} {
  let chain = '0'.repeat(64);
  let sum = 0n;
  for (const id of ids) {
    chain = createHash('sha256')
      .update(chain + id)
      .digest('hex');
    sum = (sum + BigInt(`0x${Buffer.from(id.slice(3), 'base64url').toString('hex')}`)) % 2n ** 256n;
  }
  return { seq: ids.length, chain, count: ids.length, sum: sum.toString(16).padStart(64, '0') };
}
