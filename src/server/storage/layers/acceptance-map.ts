import type { Change } from '../../../sync/change.ts';
import { parseEntryName } from '../../../sync/change.ts';
import { originOf, type AppliedEntry } from '../../../sync/layers/origin.ts';
import type { Suggestion, SuggestionDecision } from '../../../sync/layers/values.ts';
import { parseRegister, type Register } from '../../../sync/register.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { WriteContext } from '../db/context.ts';
import type { EntryPosition } from '../log/change-index.ts';
import type { Stream } from '../log/change-log.ts';

/** Entries of the record that say which suggestion they accept. */
interface Claimed extends EntryPosition {
  suggestion: string;
}

/**
 * Which entries of the record accept a suggestion (YD3). What an entry claims is checked against
 * the suggestion itself, as soon as that is here.
 */
export class AcceptanceMap {
  readonly #ctx: WriteContext;
  readonly #stream: Stream;
  readonly #claimed: Claimed[] = [];
  #hasSuggested = false;

  constructor(ctx: WriteContext, stream: Stream) {
    this.#ctx = ctx;
    this.#stream = stream;
  }

  /** Takes note of an applied entry: of a decision that accepts, the record's entry before it. */
  note(register: Register, value: unknown, { seq, index }: EntryPosition): void {
    if (register.kind === 'suggestion') this.#hasSuggested = true;
    const decision = register.kind === 'decision' ? (value as SuggestionDecision | null) : null;
    if (decision?.verdict === 'accepted')
      this.#claimed.push({ seq, index: index - 1, suggestion: decision.entry });
  }

  async flush(): Promise<void> {
    const awaited = this.#hasSuggested ? await this.#awaited() : [];
    const claimed = [...this.#claimed, ...awaited];
    this.#claimed.length = 0;
    this.#hasSuggested = false;
    if (claimed.length === 0) return;
    const { changes } = this.#stream;
    const ids = claimed.flatMap(({ suggestion }) => parseEntryName(suggestion)?.id ?? []);
    await changes.loadIds(ids);
    await changes.loadContents([
      ...claimed.map(({ seq }) => seq),
      ...ids.flatMap((id) => changes.byId(id)?.seq ?? []),
    ]);
    const found = new Map<string, AppliedEntry>();
    for (const { suggestion } of claimed) {
      const entry = await this.#find(suggestion);
      if (entry !== undefined) found.set(suggestion, entry);
    }
    const rows: unknown[][] = [];
    for (const one of claimed) {
      const row = await this.#rowOf(one, found);
      if (row !== undefined) rows.push(row);
    }
    await this.#ctx.session.insert(
      'acceptances',
      ['stream_pk', 'seq', 'idx', 'suggestion', 'from_seq', 'edited', 'model'],
      rows,
      { target: ['stream_pk', 'seq', 'idx'], update: ['from_seq', 'edited', 'model'] },
    );
  }

  /** Undefined where the entry says so of a suggestion that it does not fit. */
  async #rowOf(
    { seq, index, suggestion }: Claimed,
    found: ReadonlyMap<string, AppliedEntry>,
  ): Promise<unknown[] | undefined> {
    const { changes, name } = this.#stream;
    const { entries, by, quarantined } = await changes.contentOf(seq);
    const change = { case: name, by, entries } as unknown as Change;
    const origin = originOf(
      {
        change,
        index,
        registers: (at) =>
          quarantined.includes(at) ? undefined : parseRegister(entries[at]?.reg ?? ''),
      },
      (named) => found.get(named),
    );
    const row = [this.#stream.pk, seq, index, suggestion];
    if (origin.kind === 'awaited') return [...row, null, 0, null];
    if (origin.kind !== 'accepted') return undefined;
    const { model } = (found.get(suggestion)?.value ?? {}) as Partial<Suggestion>;
    const at = changes.byId(parseEntryName(suggestion)?.id ?? '')?.seq ?? null;
    return [...row, at, origin.edited ? 1 : 0, model === undefined ? null : canonicalJson(model)];
  }

  async #find(name: string): Promise<AppliedEntry | undefined> {
    const { changes, name: stream } = this.#stream;
    const parts = parseEntryName(name);
    const info = parts && changes.byId(parts.id);
    if (parts === undefined || info === undefined) return undefined;
    const { entries, by, quarantined } = await changes.contentOf(info.seq);
    const entry = entries[parts.index];
    const register = entry && parseRegister(entry.reg);
    return entry === undefined || register === undefined || quarantined.includes(parts.index)
      ? undefined
      : { register, value: entry.value, stream, by };
  }

  /** Entries whose suggestion had not come when they were applied. */
  async #awaited(): Promise<Claimed[]> {
    const { session } = this.#ctx;
    const rows = await session.db
      .selectFrom('acceptances')
      .select(['seq', 'idx', 'suggestion'])
      .where('account', '=', session.account)
      .where('stream_pk', '=', this.#stream.pk)
      .where('from_seq', 'is', null)
      .execute();
    return rows.map(({ seq, idx, suggestion }) => ({ seq, index: idx, suggestion }));
  }
}
