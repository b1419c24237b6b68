import type { UserId } from '../../../shared/contract/ids.ts';
import {
  type EntryWriter,
  listWriters,
  MAX_ENTRIES_ASKED,
} from '../../../shared/contract/v1/contested.ts';
import { type Change, entryName } from '../../../sync/change.ts';
import type { EntryAuthor } from '../store/port.ts';
import type { Replica } from './replica.ts';

interface WriterIdentity {
  user_id: UserId;
  name: string;
}

function toWriter(writer: EntryWriter, { user_id }: WriterIdentity, replica: string): EntryAuthor {
  const { entry, at, by, kind, reason, restored } = writer;
  return {
    entry,
    at,
    by,
    kind,
    reason,
    mine: writer.user === user_id && kind !== 'agent',
    here: writer.replica === replica,
    restored,
  };
}

/**
 * Who wrote the values that are to be settled, as far as that is known: asked of the server for
 * what it holds, read from the outbox for the rest.
 */
export class Writers {
  readonly #replica: Replica;
  readonly #person: () => WriterIdentity;
  readonly #known = new Map<string, EntryAuthor>();
  #asking: Promise<void> | null = null;

  constructor(replica: Replica, person: () => WriterIdentity) {
    this.#replica = replica;
    this.#person = person;
  }

  async of(entries: readonly string[]): Promise<ReadonlyMap<string, EntryAuthor>> {
    const missing = (): string[] => entries.filter((entry) => !this.#known.has(entry));
    if (missing().length > 0) await this.#readOutbox(new Set(entries));
    // One request at a time; a second one asks only for what the first did not.
    if (missing().length > 0 && this.#asking !== null) await this.#asking;
    if (missing().length > 0)
      await (this.#asking ??= this.#ask(missing()).finally(() => (this.#asking = null)));
    return new Map(
      entries.flatMap((entry) => {
        const writer = this.#known.get(entry);
        return writer === undefined ? [] : [[entry, writer] as const];
      }),
    );
  }

  async #ask(entries: readonly string[]): Promise<void> {
    const { client, row, ports } = this.#replica;
    for (let start = 0; start < entries.length; start += MAX_ENTRIES_ASKED) {
      const result = await client.call(listWriters, {
        params: { caseUid: row.case_uid },
        body: { entries: entries.slice(start, start + MAX_ENTRIES_ASKED) },
        signal: this.#replica.signal,
      });
      if (result.kind !== 'ok') return;
      for (const writer of result.body.writers)
        this.#known.set(writer.entry, toWriter(writer, this.#person(), ports.encoding.replica));
    }
  }

  /** What this device wrote and the server does not have yet. */
  async #readOutbox(wanted: ReadonlySet<string>): Promise<void> {
    const { db, row, ports } = this.#replica;
    const ids = new Set([...wanted].map((entry) => entry.slice(0, entry.lastIndexOf('#'))));
    const rows = await db.outbox
      .where('id')
      .anyOf([...ids])
      .toArray();
    for (const { id, text, case_uid } of rows) {
      if (case_uid !== row.case_uid) continue;
      const change = JSON.parse(text) as Change;
      change.entries.forEach((entry, index) => {
        const name = entryName(id, index);
        const origin = entry.restores === undefined ? undefined : this.#known.get(entry.restores);
        const own: EntryAuthor = {
          entry: name,
          at: change.wall,
          by: this.#person().name,
          kind: change.by.kind,
          reason: change.why,
          mine: true,
          here: change.at.replica === ports.encoding.replica,
          restored: null,
        };
        if (wanted.has(name))
          this.#known.set(
            name,
            origin === undefined
              ? own
              : { ...origin, entry: name, restored: { at: own.at, by: own.by } },
          );
      });
    }
  }
}
