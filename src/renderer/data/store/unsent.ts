import type { CaseUid } from '../../../shared/contract/ids.ts';
import { z } from 'zod';
import type { Hasher } from '../../../shared/lib/hash.ts';
import type { Change } from '../../../sync/change.ts';
import { parseRegister } from '../../../sync/register.ts';
import { stateOf } from '../../../shared/domain/outcome.ts';
import type { Database, UndoStepRow, OutboxRow } from './db.ts';
import { readUndoStep } from './undo-step-row.ts';
import { readChange } from './stored-rows.ts';

/**
 * One thing that an unsent change wrote. `old` is undefined where this device no longer knows the
 * previous value.
 */
export interface UnsentEntry {
  item: string | null;
  rule: string | null;
  /** outcome, notes, or the field of a row. */
  field: string;
  old: unknown;
  new: unknown;
}

export interface UnsentChange {
  id: string;
  case_uid: CaseUid;
  user: string;
  /** The author's name as this device last knew it; null for a user who never signed in here. */
  userName: string | null;
  /** When it was made, ms since 1970. */
  at: number;
  state: 'waiting' | 'blocked' | 'damaged';
  reason: string | null;
  bytes: number;
  /**
   * How many things it wrote, of which `entries` may list fewer. 0 where its bytes cannot be read.
   */
  count: number;
  entries: UnsentEntry[];
}

type Plain = Pick<UnsentEntry, 'old' | 'new'>;
const outcomeOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'raw_outcome' in value ? value.raw_outcome : value;

/** The values that a command replaced, for the cells and rows asked for. */
class ValuesBefore {
  readonly #row: UndoStepRow | undefined;
  readonly #places = new Map<string, number>();

  constructor(row: UndoStepRow | undefined, wanted: ReadonlySet<string>) {
    this.#row = row;
    if (row === undefined) return;
    for (let at = 0; at < row.item.length; at += 1) {
      const name = `${row.rules[row.rule[at]!] ?? ''}/${row.items[row.item[at]!] ?? ''}`;
      if (wanted.has(name)) this.#places.set(name, at);
    }
  }
  of(register: NonNullable<ReturnType<typeof parseRegister>>): unknown {
    const row = this.#row;
    if (row === undefined) return undefined;
    if (register.kind === 'item')
      return row.rows.find(
        (written) => written.item === register.item && written.field === register.field,
      )?.before;
    if (register.kind !== 'assertion' && register.kind !== 'notes') return undefined;
    const at = this.#places.get(`${register.rule}/${register.item}`);
    if (at === undefined) return undefined;
    return register.kind === 'notes'
      ? (row.details[at]?.before.notes ?? null)
      : stateOf(row.before[at] ?? 0);
  }
}

async function entriesOf(
  db: Database,
  row: OutboxRow,
  change: Change,
  most: number,
): Promise<UnsentEntry[]> {
  const registers = change.entries
    .slice(0, most)
    .map((entry) => ({ entry, register: parseRegister(entry.reg) }));
  const first = registers.find(
    ({ register }) => register?.kind === 'assertion' || register?.kind === 'notes',
  )?.register;
  const matrix =
    first !== undefined && 'profile' in first && 'version' in first
      ? `${row.user}/${row.case_uid}/${first.profile}@${first.version}`
      : undefined;
  const stored =
    matrix === undefined
      ? await db.gestures.filter((step) => step.id === change.txn).first()
      : await db.gestures.get([matrix, change.txn]);
  const wanted = new Set(
    registers.flatMap(({ register }) =>
      register !== undefined && 'rule' in register ? [`${register.rule}/${register.item}`] : [],
    ),
  );
  const before = new ValuesBefore(readUndoStep(stored), wanted);
  return registers.map(({ entry, register }): UnsentEntry => {
    if (register === undefined)
      return { item: null, rule: null, field: entry.reg, old: undefined, new: entry.value };
    const value: Plain = {
      old: before.of(register),
      new: register.kind === 'assertion' ? outcomeOf(entry.value) : entry.value,
    };
    const item = 'item' in register ? register.item : null;
    const rule = 'rule' in register ? register.rule : null;
    const field =
      register.kind === 'assertion'
        ? 'outcome'
        : register.kind === 'item'
          ? register.field
          : register.kind;
    return { item, rule, field, ...value };
  });
}

/** Describes an unsent change in words and values. At most `most` of what it wrote is read. */
export async function describeUnsent(
  db: Database,
  row: OutboxRow,
  about: { state: UnsentChange['state']; userName: string | null; most: number },
  hasher: Hasher,
): Promise<UnsentChange> {
  const change = readChange(row, hasher);
  const entries = change === undefined ? [] : await entriesOf(db, row, change, about.most);
  return {
    id: row.id,
    case_uid: row.case_uid,
    user: row.user,
    userName: about.userName,
    at: row.created,
    state: about.state,
    reason: row.reason,
    bytes: row.bytes,
    count: change?.entries.length ?? 0,
    entries,
  };
}

const FORMAT = 'evidence-studio/unsent-changes';
const Exported = z.object({
  format: z.literal(FORMAT),
  version: z.literal(1),
  changes: z.array(z.object({ id: z.string(), change: z.string() })),
});

/** The file that an export saves: the exact bytes of each change, and what they say. */
export function exportFile(
  changes: readonly { about: UnsentChange; text: string }[],
  now: number,
): string {
  return JSON.stringify(
    {
      format: FORMAT,
      version: 1,
      exported_at: new Date(now).toISOString(),
      changes: changes.map(({ about: { at, entries, userName, ...about }, text }) => ({
        ...about,
        user_name: userName,
        made_at: new Date(at).toISOString(),
        change: text,
        readable: entries.map((entry) => ({
          ...entry,
          old: entry.old === undefined ? 'unknown' : entry.old,
        })),
      })),
    },
    null,
    2,
  );
}

/** The bytes of the changes in a saved export, by id; undefined where the text is no export. */
export function readExport(text: string): ReadonlyMap<string, string> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { data } = Exported.safeParse(value);
  return data === undefined
    ? undefined
    : new Map(data.changes.map(({ id, change }) => [id, change]));
}
