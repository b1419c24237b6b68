import type { Assignment } from '../../../shared/domain/thread.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { Author } from '../../../sync/change.ts';
import { compareHeads } from '../../../sync/heads.ts';
import { participantOf } from '../../../sync/layers/authors.ts';
import { threadOf } from '../../../sync/layers/discussion.ts';
import { placeAddress, type Register } from '../../../sync/register.ts';
import type { WriteContext } from '../db/context.ts';
import type { EntryPosition } from '../log/change-index.ts';
import type { Stream } from '../log/change-log.ts';
import type { NoticeMap, ThreadWait } from '../notices/notice-map.ts';
import { threadEntriesIn } from './thread-entries.ts';

const ENTRY = ['change_id', 'hlc', 'said_by', 'value'] as const;
const PLACED = ['seq', 'idx', 'change_id', 'hlc'] as const;
const SHOWN = [
  'opened_hlc',
  'kind',
  'state',
  'place_on',
  'item_uid',
  'rule_uid',
  'assigned',
] as const;

/** What of a case's log is discussion, while a transaction works on it (YT). */
export class DiscussionMap {
  readonly #ctx: WriteContext;
  readonly #stream: Stream;
  readonly #notices: NoticeMap;
  readonly #entries: unknown[][] = [];
  readonly #threads = new Set<string>();
  readonly #assigned = new Map<
    string,
    { at: EntryPosition; to: string | null; by: string | undefined }[]
  >();

  constructor(ctx: WriteContext, stream: Stream, notices: NoticeMap) {
    this.#ctx = ctx;
    this.#notices = notices;
    this.#stream = stream;
  }

  /** Takes note of an applied entry at its place in the log, of a change that is loaded. */
  note(register: Register, value: unknown, { seq, index }: EntryPosition, by: Author): void {
    if (register.kind === 'thread') {
      const { id, hlc } = this.#stream.changes.at(seq);
      const saidBy = participantOf(by) ?? by.user;
      this.#threads.add(register.thread);
      this.#entries.push([
        this.#stream.pk,
        register.thread,
        seq,
        index,
        id,
        hlc,
        saidBy,
        canonicalJson(value),
      ]);
    } else if (register.kind === 'assigned') {
      const place = placeAddress(register.place);
      const { to } = value as Assignment;
      const said = { at: { seq, index }, to, by: participantOf(by) };
      this.#assigned.set(place, [...(this.#assigned.get(place) ?? []), said]);
    }
  }

  async flush(): Promise<void> {
    await this.#flushEntries();
    await this.#flushThreads();
    await this.#flushAssigned();
  }

  async #flushEntries(): Promise<void> {
    const key = ['stream_pk', 'thread_id', 'seq', 'idx'];
    if (this.#entries.length > 0)
      await this.#ctx.session.insert('thread_entries', [...key, ...ENTRY], this.#entries, {
        target: key,
        update: [],
      });
    this.#entries.length = 0;
  }

  /** Each touched thread as all of its entries make it. */
  async #flushThreads(): Promise<void> {
    const { session, ports } = this.#ctx;
    const touched = [...this.#threads];
    this.#threads.clear();
    if (touched.length === 0) return;
    const said = await threadEntriesIn(this.#ctx, this.#stream.pk, touched);
    const threads = touched.flatMap((id) => threadOf(id, said.get(id) ?? [], ports.hasher) ?? []);
    const key = ['stream_pk', 'thread_id'];
    await session.insert(
      'threads',
      [...key, ...SHOWN],
      threads.map(({ id, opening: { place, kind }, state, assigned, entries }) => [
        this.#stream.pk,
        id,
        entries[0]?.hlc ?? '',
        kind,
        state,
        place.on,
        place.on === 'rule' ? null : place.item_uid,
        place.on === 'item' ? null : place.rule_uid,
        assigned,
      ]),
      { target: key, update: [...SHOWN] },
    );
    const waits = threads.flatMap(({ id, waits: of }) =>
      [...of].map(([who, why]) => ({ who, thread: id, why })),
    );
    await this.#notices.threads(waits, () => this.#waitsOf(touched));
    await session.change(
      session.db
        .deleteFrom('thread_waits')
        .where('account', '=', session.account)
        .where('stream_pk', '=', this.#stream.pk)
        .where(session.inList('thread_id', touched)),
    );
    await session.insert(
      'thread_waits',
      ['who', 'stream_pk', 'thread_id', 'why'],
      waits.map(({ who, thread, why }) => [who, this.#stream.pk, thread, why]),
      { target: ['who', 'stream_pk', 'thread_id'], update: ['why'] },
    );
  }

  async #waitsOf(threads: readonly string[]): Promise<ThreadWait[]> {
    const { session } = this.#ctx;
    return session.db
      .selectFrom('thread_waits')
      .select(['thread_id as thread', 'who', 'why'])
      .where('account', '=', session.account)
      .where('stream_pk', '=', this.#stream.pk)
      .where(session.inList('thread_id', threads))
      .execute();
  }

  /** The last word of each place in the order of H3, also against what is stored. */
  async #flushAssigned(): Promise<void> {
    const { session } = this.#ctx;
    if (this.#assigned.size === 0) return;
    const stored = await session.db
      .selectFrom('assignments')
      .select(['place', 'idx', 'change_id', 'hlc', 'assignee'])
      .where('account', '=', session.account)
      .where('stream_pk', '=', this.#stream.pk)
      .where(session.inList('place', [...this.#assigned.keys()]))
      .execute();
    const before = new Map(
      stored.map(({ place, idx, change_id, hlc, assignee }) => [
        place,
        { name: `${change_id}#${idx}`, hlc, assignee },
      ]),
    );
    const told = new Set<string>();
    const rows = [...this.#assigned].flatMap(([place, said]) => {
      const [last] = said
        .map(({ at, to, by }) => {
          const { id, hlc } = this.#stream.changes.at(at.seq);
          return { name: `${id}#${at.index}`, hlc, id, at, to, by };
        })
        .sort((a, b) => compareHeads(b, a));
      const known = before.get(place);
      if (last === undefined || (known !== undefined && compareHeads(known, last) > 0)) return [];
      const { at, id, hlc, to, by } = last;
      if (to !== null && to !== by && to !== known?.assignee) told.add(to);
      return [[this.#stream.pk, place, at.seq, at.index, id, hlc, to]];
    });
    this.#assigned.clear();
    await this.#notices.assigned(told);
    await session.insert('assignments', ['stream_pk', 'place', ...PLACED, 'assignee'], rows, {
      target: ['stream_pk', 'place'],
      update: [...PLACED, 'assignee'],
    });
  }
}
