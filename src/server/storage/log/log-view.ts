import type { Change, Entry } from '../../../sync/change.ts';
import type { Register } from '../../../sync/register.ts';

/** A change, read and validated. */
export interface ValidatedChange {
  id: string;
  text: string;
  change: Change;
  /** By entry: the register it writes, or undefined where it is quarantined. */
  registers: (Register | undefined)[];
  quarantined: number[];
  /** Entries that may not open what is sealed, because of who brought them (YR9). */
  unopening?: ReadonlySet<number>;
}

/**
 * The tables that show what a log says. Everything that the changes touch is read once, before the
 * first is applied.
 */
export interface LogView {
  prepare(changes: readonly ValidatedChange[]): Promise<void>;
  /** The first of the prepared changes that would take the case over its limits. */
  overfull(changes: readonly ValidatedChange[]): ValidatedChange | undefined;
  /** Applies the entries of change `seq` that are not quarantined. */
  apply(change: ValidatedChange, seq: number): Promise<void>;
  /** Writes what was touched, and the log's new changes, to the database. */
  flush(): Promise<void>;
}

/** Entries that are applied, with the registers they write. */
export function* appliedEntries({
  change,
  registers,
}: ValidatedChange): Generator<{ index: number; entry: Entry; register: Register }> {
  for (const [index, register] of registers.entries())
    if (register !== undefined) yield { index, entry: change.entries[index] as Entry, register };
}
