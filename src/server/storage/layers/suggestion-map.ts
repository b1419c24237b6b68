import type { RegisterCell } from '../../../sync/register.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { chargeSuggestions } from '../accounts/key-limits.ts';
import type { WriteContext } from '../db/context.ts';
import type { EntryPosition } from '../log/change-index.ts';
import type { RegisterBinding } from '../log/head-map.ts';
import type { NoticeMap } from '../notices/notice-map.ts';

/** A register of a source or of a decision about it, in words of its address. */
export type SourceCell = RegisterCell & { source: string };

/** What a source suggests for a cell and what was decided, while a transaction works on it. */
export interface SuggestionRow {
  readonly cell: SourceCell;
  head: EntryPosition | null;
  /** JSON; null where it is withdrawn. */
  value: string | null;
  decisionHead: EntryPosition | null;
  decision: string | null;
  contested: boolean;
}

const keyOf = ({ profile, version, rule, item, source }: SourceCell): string =>
  `${source}/${profile}@${version}/${rule}/${item}`;

const positionIn = (seq: number | null, index: number | null): EntryPosition | null =>
  seq === null || index === null ? null : { seq, index };

const textOf = (value: unknown): string | null => (value === null ? null : canonicalJson(value));

const KEY = ['profile_uid', 'profile_version', 'rule_uid', 'item_uid', 'source'] as const;
/** What is stored of a suggestion and of the decision about it. */
export const SHOWN = [
  'head_seq',
  'head_index',
  'value',
  'decision_seq',
  'decision_index',
  'decision',
  'contested',
] as const;

/** The touched suggestions of one log, with what was decided about each. */
export class SuggestionMap {
  readonly #ctx: WriteContext;
  readonly #stream: number;
  readonly #notices: NoticeMap;
  readonly #rows = new Map<string, SuggestionRow>();
  readonly #changed = new Set<SuggestionRow>();
  /** Those that their sources have written to. */
  readonly #suggested = new Set<SuggestionRow>();

  constructor(ctx: WriteContext, stream: number, notices: NoticeMap) {
    this.#ctx = ctx;
    this.#notices = notices;
    this.#stream = stream;
  }

  /** Reads what there is of these cells: a query for each matrix. */
  async load(cells: readonly SourceCell[]): Promise<void> {
    const { session } = this.#ctx;
    const ofMatrix = Map.groupBy(
      cells.filter((cell) => !this.#rows.has(keyOf(cell))),
      ({ profile, version }) => `${profile}@${version}`,
    );
    for (const [first, ...more] of ofMatrix.values()) {
      const all = [first as SourceCell, ...more];
      const { profile, version } = first as SourceCell;
      const rows = await session.db
        .selectFrom('suggestions')
        .select([...KEY, ...SHOWN])
        .where('account', '=', session.account)
        .where('stream_pk', '=', this.#stream)
        .where('profile_uid', '=', profile)
        .where('profile_version', '=', version)
        .where(session.inList('rule_uid', [...new Set(all.map(({ rule }) => rule))]))
        .where(session.inList('item_uid', [...new Set(all.map(({ item }) => item))]))
        .execute();
      for (const row of rows) {
        const { rule_uid: rule, item_uid: item, source } = row;
        const cell = { profile, version, rule, item, source };
        this.#rows.set(keyOf(cell), {
          cell,
          head: positionIn(row.head_seq, row.head_index),
          value: row.value,
          decisionHead: positionIn(row.decision_seq, row.decision_index),
          decision: row.decision,
          contested: row.contested === 1,
        });
      }
    }
  }

  *headSeqs(): Generator<number> {
    for (const { head, decisionHead } of this.#rows.values()) {
      if (head !== null) yield head.seq;
      if (decisionHead !== null) yield decisionHead.seq;
    }
  }

  /** What is known of a cell and source that were loaded. */
  get(cell: SourceCell): SuggestionRow | undefined {
    return this.#rows.get(keyOf(cell));
  }

  #touched(cell: SourceCell): SuggestionRow {
    const key = keyOf(cell);
    let row = this.#rows.get(key);
    if (row === undefined) {
      const { profile, version, rule, item, source } = cell;
      row = {
        cell: { profile, version, rule, item, source },
        head: null,
        value: null,
        decisionHead: null,
        decision: null,
        contested: false,
      };
      this.#rows.set(key, row);
    }
    return row;
  }

  /** The register of what the source says; its heads are one source's and never a conflict. */
  suggestion(cell: SourceCell, reg: string): RegisterBinding {
    const row = this.#touched(cell);
    return this.#binding(row, reg, 'head', (value) => (row.value = textOf(value)));
  }

  /** The register of what people decided about it. */
  decision(cell: SourceCell, reg: string): RegisterBinding {
    const row = this.#touched(cell);
    return this.#binding(
      row,
      reg,
      'decisionHead',
      (value) => (row.decision = textOf(value)),
      (contested) => (row.contested = contested),
    );
  }

  #binding(
    row: SuggestionRow,
    reg: string,
    place: 'head' | 'decisionHead',
    show: (value: unknown) => void,
    note: (contested: boolean) => void = () => {},
  ): RegisterBinding {
    const touch = (): unknown => this.#changed.add(row);
    const suggested = this.#suggested;
    return {
      reg,
      get head() {
        return row[place];
      },
      set head(head: EntryPosition | null) {
        row[place] = head;
        touch();
        if (place === 'head') suggested.add(row);
      },
      show,
      noteConflict: (_, contested) => {
        note(contested);
        touch();
      },
    };
  }

  async flush(): Promise<void> {
    const rows = [...this.#changed].map(
      ({ cell: { profile, version, rule, item, source }, head, value, ...row }) => [
        this.#stream,
        profile,
        version,
        rule,
        item,
        source,
        head?.seq ?? null,
        head?.index ?? null,
        value,
        row.decisionHead?.seq ?? null,
        row.decisionHead?.index ?? null,
        row.decision,
        row.contested ? 1 : 0,
      ],
    );
    this.#changed.clear();
    if (rows.length === 0) return;
    await this.#ctx.session.insert('suggestions', ['stream_pk', ...KEY, ...SHOWN], rows, {
      target: ['stream_pk', ...KEY],
      update: SHOWN,
    });
    if ([...this.#suggested].some(({ value }) => value !== null)) await this.#notices.suggested();
    await this.#charge();
  }

  /** A key suggests no more than it may; what a studio brings was charged there. */
  async #charge(): Promise<void> {
    const { credential } = this.#ctx;
    const keyId = credential?.actor.key_id ?? null;
    const own = [...this.#suggested].filter(
      ({ cell, value }) => cell.source === keyId && value !== null,
    );
    this.#suggested.clear();
    if (keyId !== null && own.length > 0) await chargeSuggestions(this.#ctx, keyId, own.length);
  }
}
