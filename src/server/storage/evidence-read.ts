import type { Evidence, Summary } from '../../shared/contract/v1/evidence.ts';
import type { z } from 'zod';
import { profileForCase } from './case-profile.ts';
import { needCase, type StoredCase } from './cases.ts';
import { RAW } from './cell-book.ts';
import type { ReadContext } from './context.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { evidenceEtag } from './evidence-etag.ts';
import { pause } from './pace.ts';
import type { Page, Reader } from './port.ts';
import type { StoredProfile } from './stored-profile.ts';

/** Cells read and written out in one go; one query where a page has no more. */
const CELLS_AT_ONCE = 12_000;
const MATRIX = ['null', '1', '0', '0'] as const;
const OUTCOME = RAW.map((raw) => (raw === null ? 'null' : `"${raw}"`));

type ItemTuple = [pk: number, uid: string, type: string, label: string, metadata: string, position: number, version: number, created: string, updated: string];
type CellTuple = [item: number, rule: number, raw: number, source: string | null, provenance: string | null, notes: string | null, headSeq: number | null, notesSeq: number | null, revision: number, contested: number];

export async function findMatrix(ctx: ReadContext, casePk: number, profileUid: string, version: string): Promise<number | undefined> {
  const row = await ctx.session.db.selectFrom('matrices').select('matrix_pk').where('case_pk', '=', casePk).where('profile_uid', '=', profileUid).where('profile_version', '=', version).executeTakeFirst();
  return row?.matrix_pk;
}

/** A page of items in row order, deleted ones left out, and the cursor after it. */
export async function readItems(ctx: ReadContext, casePk: number, limit: number, cursor: string | undefined): Promise<{ items: ItemTuple[]; next: string | null }> {
  const { session } = ctx;
  let query = session.db
    .selectFrom('items')
    .select(['item_pk', 'item_uid', 'item_type', 'label', 'metadata', 'position', 'version', 'created_at', 'updated_at'])
    .where('case_pk', '=', casePk)
    .where('deleted', '=', 0)
    .orderBy('position')
    .orderBy('item_uid')
    .limit(limit + 1);
  if (cursor !== undefined) {
    const [position, uid] = readCursor('items', ['number', 'string'], cursor) as [number, string];
    query = query.where(({ eb, or, and }) => or([eb('position', '>', position), and([eb('position', '=', position), eb('item_uid', '>', uid)])])).where('position', '>=', position);
  }
  const rows = await session.rows<ItemTuple>(query);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? writeCursor('items', [last[5], last[1]]) : null };
}

/** Counts of the whole matrix, from the tallies by rule. */
async function summarize(ctx: ReadContext, stored: StoredCase, profile: StoredProfile, matrix: number | undefined): Promise<z.infer<typeof Summary>> {
  const { db, list } = { db: ctx.session.db, list: ctx.session.list.bind(ctx.session) };
  const tallies =
    matrix === undefined
      ? []
      : await db
          .selectFrom('tallies')
          .innerJoin('rule_names', 'rule_names.rule_pk', 'tallies.rule_pk')
          .select((eb) => [eb.fn.sum<number | null>('n_false').as('f'), eb.fn.sum<number | null>('n_true').as('t'), eb.fn.sum<number | null>('n_na').as('na')])
          .where('matrix_pk', '=', matrix)
          .where('rule_uid', 'in', list(profile.rules))
          .execute();
  const [f, t, na] = [Number(tallies[0]?.f ?? 0), Number(tallies[0]?.t ?? 0), Number(tallies[0]?.na ?? 0)];
  const recorded = f + t + na;
  return { items: stored.itemCount, rules: profile.rules.length, recorded, unrecorded: stored.itemCount * profile.rules.length - recorded, evidence_present: f, problem_found: t, not_available: na };
}

/** Column of each rule's number under a profile. */
export async function columnsByRule(ctx: ReadContext, rules: readonly string[]): Promise<Map<number, number>> {
  const rows = await ctx.session.db.selectFrom('rule_names').select(['rule_pk', 'rule_uid']).where('rule_uid', 'in', ctx.session.list(rules)).execute();
  const column = new Map(rules.map((rule, index) => [rule, index]));
  return new Map(rows.map((row) => [row.rule_pk, column.get(row.rule_uid) as number]));
}

/** When and by whom, by position in the log. */
class Stamps {
  readonly #ctx: ReadContext;
  readonly #stream: number;
  readonly #texts = new Map<number, string>();

  constructor(ctx: ReadContext, stream: number) {
    this.#ctx = ctx;
    this.#stream = stream;
  }

  async load(cells: readonly CellTuple[]): Promise<void> {
    const wanted = new Set<number>();
    for (const cell of cells) {
      const seq = lastSeq(cell);
      if (!this.#texts.has(seq)) wanted.add(seq);
    }
    if (wanted.size === 0) return;
    const { session } = this.#ctx;
    const rows = await session.db.selectFrom('changes').select(['seq', 'received_at', 'author']).where('stream_pk', '=', this.#stream).where('seq', 'in', session.list([...wanted])).execute();
    for (const row of rows) this.#texts.set(row.seq, `,"updated_at":"${row.received_at}","updated_by":${JSON.stringify(row.author)}`);
  }

  of(cell: CellTuple): string {
    return this.#texts.get(lastSeq(cell)) ?? '';
  }
}

function lastSeq(cell: CellTuple): number {
  return Math.max(cell[6] ?? 0, cell[7] ?? 0);
}

const text = (value: string | null): string => (value === null ? 'null' : JSON.stringify(value));

/** JSON of a cell from its item on; the part up to the rule is the caller's. */
function cellJson(cell: CellTuple, start: string, stamp: string): string {
  const [, , raw, source, provenance, notes, , , revision, contested] = cell;
  return `${start},"raw_outcome":${OUTCOME[raw]},"matrix_value":${MATRIX[raw]},"source_value":${text(source)},"notes":${text(notes)},"provenance":${provenance ?? 'null'}${stamp},"revision":${revision},"contested":${contested === 0 ? 'false' : 'true'}}`;
}

/** A cell that was cleared, with nothing left to show, is unrecorded again. */
function isShown([, , raw, source, provenance, notes, , , , contested]: CellTuple): boolean {
  return raw !== 0 || source !== null || provenance !== null || notes !== null || contested !== 0;
}

/** Writes out the cells of some items, each item's in column order. */
class CellWriter {
  readonly #ctx: ReadContext;
  readonly #matrix: number;
  readonly #columns: ReadonlyMap<number, number>;
  readonly #ruleTexts: readonly string[];
  readonly #stamps: Stamps;

  constructor(ctx: ReadContext, stream: number, matrix: number, columns: ReadonlyMap<number, number>, rules: readonly string[]) {
    this.#ctx = ctx;
    this.#matrix = matrix;
    this.#columns = columns;
    this.#ruleTexts = rules.map((rule) => `,"rule_uid":${JSON.stringify(rule)}`);
    this.#stamps = new Stamps(ctx, stream);
  }

  async byItem(items: readonly ItemTuple[]): Promise<Map<number, string>> {
    const { session } = this.#ctx;
    const query = session.db
      .selectFrom('cells')
      .select(['item_pk', 'rule_pk', 'raw', 'source_value', 'provenance', 'notes', 'head_seq', 'notes_seq', 'revision', 'contested'])
      .where('matrix_pk', '=', this.#matrix)
      .where('item_pk', 'in', session.list(items.map(([pk]) => pk)));
    const cells = await session.rows<CellTuple>(query);
    await this.#stamps.load(cells);
    const starts = new Map(items.map(([pk, uid]) => [pk, `{"item_uid":${JSON.stringify(uid)}`]));
    const rows = new Map<number, string[]>();
    for (const cell of cells) {
      const column = this.#columns.get(cell[1]);
      if (column === undefined || !isShown(cell)) continue;
      let row = rows.get(cell[0]);
      if (row === undefined) rows.set(cell[0], (row = []));
      row[column] = cellJson(cell, `${starts.get(cell[0]) as string}${this.#ruleTexts[column] as string}`, this.#stamps.of(cell));
    }
    // The rows have holes where nothing is recorded; `filter` passes over them.
    return new Map([...rows].map(([pk, row]) => [pk, row.filter(() => true).join(',')]));
  }
}

function itemJson([, uid, type, label, metadata, position, version, created, updated]: ItemTuple, evidence: string): string {
  return `{"item_uid":${JSON.stringify(uid)},"item_type":${JSON.stringify(type)},"label":${JSON.stringify(label)},"metadata":${metadata},"position":${position},"created_at":"${created}","updated_at":"${updated}","version":${version},"evidence":[${evidence}]}`;
}

/** One page of a case's evidence as JSON text: thousands of objects would be made only to be written out. */
export async function evidencePage(ctx: ReadContext, account: string, query: { case_uid: string; profile_uid: string; profile_version: string | undefined }, page: Page): ReturnType<Reader['evidence']['page']> {
  const stored = await needCase(ctx, account, query.case_uid);
  const profile = await profileForCase(ctx, account, stored, query.profile_uid, query.profile_version);
  const { profileUid, version } = profile.document;
  const position = await ctx.session.db.selectFrom('streams').select(['seq', 'chain']).where('stream_pk', '=', stored.streamPk).executeTakeFirstOrThrow();
  const matrix = await findMatrix(ctx, stored.pk, profileUid, version);
  const { items, next } = await readItems(ctx, stored.pk, page.limit, page.cursor);
  const summary = await summarize(ctx, stored, profile, matrix);
  const parts: string[] = [];
  if (matrix === undefined) parts.push(...items.map((item) => itemJson(item, '')));
  else {
    const writer = new CellWriter(ctx, stored.streamPk, matrix, await columnsByRule(ctx, profile.rules), profile.rules);
    const step = Math.max(1, Math.floor(CELLS_AT_ONCE / profile.rules.length));
    for (let start = 0; start < items.length; start += step) {
      if (start > 0) await pause();
      const some = items.slice(start, start + step);
      const evidence = await writer.byItem(some);
      for (const item of some) parts.push(itemJson(item, evidence.get(item[0]) ?? ''));
    }
  }
  const head = `{"case_uid":${JSON.stringify(stored.record.case_uid)},"profile_uid":"${profileUid}","profile_version":"${version}","rules":${JSON.stringify(profile.rules)}`;
  const json = `${head},"items":[${parts.join(',')}],"summary":${JSON.stringify(summary)},"next_cursor":${text(next)}}`;
  return { json, etag: evidenceEtag(position, [profileUid, version, profile.entry.digest, page.limit, page.cursor ?? null], ctx.ports.hasher), value: () => JSON.parse(json) as Evidence };
}
