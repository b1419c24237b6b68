import { type Contested, listContested } from '../../shared/contract/v1/evidence.ts';
import { type Change, entryName } from '../../sync/change.ts';
import type { Writer } from './port.ts';
import type { Replica } from './replica.ts';

interface Person { user_id: string; name: string }

const PAGE = '200';
const MOST_PAGES = 500;

function toWriter(head: Contested['heads'][number], { user_id }: Person, replica: string): Writer {
  const { entry, at, by, kind, reason, restored } = head;
  return { entry, at, by, kind, reason, mine: head.user === user_id && kind !== 'agent', here: head.replica === replica, restored };
}

/** Who wrote what contests, as far as it is known: the server is asked for those that it has, the outbox for the others. */
export class Writers {
  readonly #replica: Replica;
  readonly #person: () => Person;
  readonly #known = new Map<string, Writer>();
  #asking: Promise<void> | null = null;

  constructor(replica: Replica, person: () => Person) {
    this.#replica = replica;
    this.#person = person;
  }

  async of(entries: readonly string[]): Promise<ReadonlyMap<string, Writer>> {
    const isMissing = (): boolean => entries.some((entry) => !this.#known.has(entry));
    if (isMissing()) await this.#readOutbox(new Set(entries));
    // One reading at a time, and a second one only where the first had begun before these were there.
    if (isMissing() && this.#asking !== null) await this.#asking;
    if (isMissing()) await (this.#asking ??= this.#ask().finally(() => (this.#asking = null)));
    return new Map(entries.flatMap((entry) => {
      const writer = this.#known.get(entry);
      return writer === undefined ? [] : [[entry, writer] as const];
    }));
  }

  async #ask(): Promise<void> {
    const { client, row, ports } = this.#replica;
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const result = await client.call(listContested, {
        params: { caseUid: row.case_uid },
        query: { profile_uid: row.profile_uid, profile_version: row.profile_version, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) },
        signal: this.#replica.signal,
      });
      if (result.kind !== 'ok') return;
      for (const { heads } of result.body.data) for (const head of heads) this.#known.set(head.entry, toWriter(head, this.#person(), ports.seal.replica));
      cursor = result.body.next_cursor ?? undefined;
      if (cursor === undefined) return;
    }
  }

  /** What this device wrote and the server has not taken yet. */
  async #readOutbox(wanted: ReadonlySet<string>): Promise<void> {
    const { db, row, ports } = this.#replica;
    const ids = new Set([...wanted].map((entry) => entry.slice(0, entry.lastIndexOf('#'))));
    const rows = await db.outbox.where('id').anyOf([...ids]).toArray();
    for (const { id, text, case_uid } of rows) {
      if (case_uid !== row.case_uid) continue;
      const change = JSON.parse(text) as Change;
      change.entries.forEach((entry, index) => {
        const name = entryName(id, index);
        const origin = entry.restores === undefined ? undefined : this.#known.get(entry.restores);
        const own: Writer = { entry: name, at: change.wall, by: this.#person().name, kind: change.by.kind, reason: change.why, mine: true, here: change.at.replica === ports.seal.replica, restored: null };
        if (wanted.has(name)) this.#known.set(name, origin === undefined ? own : { ...origin, entry: name, restored: { at: own.at, by: own.by } });
      });
    }
  }
}
