import { type RunUid, type ProfileUid, known } from '../../../shared/contract/ids.ts';
import { ACTIVE_WITHIN_MS } from '../../../shared/contract/v1/cases.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { CaseField } from '../../../sync/register.ts';
import type { StoredCase } from './cases.ts';
import { addTallies, CellMap } from '../log/cell-map.ts';
import { compiledOnce } from '../db/compiled-once.ts';
import type { WriteContext } from '../db/context.ts';
import { HeadMap } from '../log/head-map.ts';
import { ItemMap, type ItemState } from '../log/item-map.ts';
import { placeholderProject } from './projects.ts';
import { RegisterMap } from '../log/register-map.ts';
import { pipelined } from '../db/session.ts';
import type { Placeholders } from '../db/placeholder.ts';
import { DocumentMap } from './document-map.ts';
import { addMatrix, findMatrix } from './matrices.ts';
import { flushStream, stateOf, type Stream } from '../log/change-log.ts';
import { awaitRuns } from '../runs/awaited-runs.ts';
import { RoundMap } from '../rounds/round-map.ts';
import { SignOffMap } from '../sign-off/sign-off-map.ts';
import { hideRuns } from '../runs/hidden-runs.ts';
import { CaseLayers } from '../layers/case-layers.ts';

/**
 * The tables of one case while a transaction works on them: the case's row, its items, and the
 * cells of each matrix.
 */
export class CaseView {
  readonly stored: StoredCase;
  readonly stream: Stream;
  readonly items: ItemMap;
  readonly heads: HeadMap;
  readonly registers: RegisterMap;
  readonly documents: DocumentMap;
  readonly layers: CaseLayers;
  readonly rounds: RoundMap;
  readonly signOff: SignOffMap;
  readonly #ctx: WriteContext;
  readonly #cells = new Map<number, { key: string; cells: CellMap }>();
  readonly #announced: { run_uid: RunUid; content_hash: string }[] = [];
  readonly #hidden = new Map<RunUid, boolean>();
  #fields: Record<string, string | number | null> = {};

  constructor(ctx: WriteContext, stream: Stream, stored: StoredCase) {
    this.#ctx = ctx;
    this.stream = stream;
    this.stored = stored;
    this.items = new ItemMap(ctx, stored.pk);
    this.heads = new HeadMap(ctx.session, stream.pk, stream.changes);
    this.registers = new RegisterMap(ctx.session, stream.pk);
    this.documents = new DocumentMap(ctx, this.registers);
    this.layers = new CaseLayers(ctx, stream);
    this.rounds = new RoundMap(stored.record.case_uid);
    this.signOff = new SignOffMap(stored);
  }

  /** The matrix of a profile's version; made where there is none. */
  async matrix(profileUid: ProfileUid, version: string): Promise<CellMap> {
    const found = await findMatrix(this.#ctx, this.stored.pk, profileUid, version);
    const key = { case_pk: this.stored.pk, profile_uid: profileUid, profile_version: version };
    const matrix_pk = found ?? (await addMatrix(this.#ctx, key));
    if (found === undefined) this.documents.uses(profileUid, version);
    let opened = this.#cells.get(matrix_pk);
    if (opened === undefined)
      this.#cells.set(
        matrix_pk,
        (opened = { key: `${profileUid}@${version}`, cells: new CellMap(this.#ctx, matrix_pk) }),
      );
    return opened.cells;
  }

  /** Shows a field of the case itself. */
  showField(field: CaseField, value: unknown): void {
    if (field === 'x') this.#fields['deleted'] = (value as { deleted: boolean }).deleted ? 1 : 0;
    else if (field === 'archived') this.#fields['archived'] = value === true ? 1 : 0;
    else if (field === 'metadata') this.#fields['metadata'] = canonicalJson(value);
    else if (field === 'profile') {
      const profile = value as { profile_uid: ProfileUid; profile_version: string } | null;
      this.#fields['profile_uid'] = profile?.profile_uid ?? null;
      this.#fields['profile_version'] = profile?.profile_version ?? null;
      if (profile !== null) this.documents.uses(profile.profile_uid, profile.profile_version);
    } else this.#fields[field] = value as string;
  }

  /** Whether suggestions and agents' outcomes have to cite. */
  requireSource(value: unknown): void {
    this.#fields['requires_source'] = value === true ? 1 : 0;
  }

  /** Leaves a run out of lists, or shows it again; whether it has arrived yet does not matter. */
  showRun(run: RunUid, isHidden: boolean): void {
    this.#hidden.set(run, isHidden);
  }

  /** Notes a run that was announced; its content may not have arrived yet. */
  announce(run_uid: RunUid, { content_hash }: { content_hash: string }): void {
    this.#announced.push({ run_uid, content_hash });
  }

  /** Stores everything that was touched, the log's new changes too. */
  async flush(): Promise<void> {
    await this.layers.flush();
    const flipped = [...this.items.values()].filter(
      (item) => !item.isNew && item.deleted !== item.wasDeleted,
    );
    const hidden = new Set(
      [...this.items.values()]
        .filter((item) => item.deleted)
        .concat(flipped)
        .map((item) => item.pk),
    );
    const flushCells = (): Promise<void>[] =>
      [...this.#cells.values()].map(({ cells }) => cells.flush(hidden));
    if ([...this.items.values()].some((item) => item.changed))
      this.stream.states['items'] = stateOf(this.stream);
    for (const { key, cells } of this.#cells.values())
      if (cells.isTouched()) this.stream.states[key] = stateOf(this.stream);
    const isActive =
      this.stream.pending.length > 0 &&
      !(Date.parse(this.#ctx.at) - Date.parse(this.stored.activeAt) < ACTIVE_WITHIN_MS);
    const rest = (): Promise<void>[] => [
      this.items.flush().then(({ rows, visible }) => this.#flushCase(rows, visible, isActive)),
      this.registers.flush(),
      this.documents.flush(this.stream.account, this.stored.pk),
      this.heads.flush(),
      this.rounds.flush(this.#ctx, this.stream.account),
      this.signOff.flush(this.#ctx),
      awaitRuns(this.#ctx, this.stream.account, this.stored.record.case_uid, this.#announced),
      hideRuns(this.#ctx, this.stored.record.case_uid, this.#hidden),
      flushStream(this.#ctx, this.stream),
    ];
    if (flipped.length === 0) return void (await pipelined(...flushCells(), ...rest()));
    await this.#count(
      flipped.filter((item) => item.deleted),
      -1,
    );
    await pipelined(...flushCells());
    await this.#count(
      flipped.filter((item) => !item.deleted),
      1,
    );
    await pipelined(...rest());
  }

  async #flushCase(rows: number, visible: number, isActive: boolean): Promise<void> {
    const { stored } = this;
    Object.assign(this.#fields, await this.signOff.fields(this.#ctx));
    const isChanged = Object.keys(this.#fields).length > 0;
    const isNew = stored.record.version === 0;
    const project = known.projectId.parse(this.#fields['project_id'] ?? stored.record.project_id);
    if (isNew || project !== stored.record.project_id)
      await placeholderProject(this.#ctx, this.stream.account, project);
    if (!isChanged && !isActive && rows === 0 && visible === 0) return;
    const stamp = isChanged ? { updated_at: this.#ctx.at, version: stored.record.version + 1 } : {};
    const { session } = this.#ctx;
    await session.change(
      session.db
        .updateTable('cases')
        .set({
          ...this.#fields,
          ...stamp,
          ...(isActive && { active_at: this.#ctx.at }),
          item_rows: stored.itemRows + rows,
          item_count: stored.itemCount + visible,
        })
        .where('account', '=', session.account)
        .where('case_pk', '=', stored.pk),
    );
  }

  /**
   * Subtracts the cells of items that were removed from the counts, and adds those of items that
   * were restored.
   */
  async #count(items: readonly ItemState[], sign: 1 | -1): Promise<void> {
    if (items.length === 0) return;
    const { session } = this.#ctx;
    const { db, account } = session;
    const pks = items.map((item) => item.pk);
    const rows = await db
      .selectFrom('cells')
      .select((eb) => ['matrix_pk', 'rule_pk', 'raw', eb.fn.countAll<number>().as('n')])
      .where('account', '=', account)
      .where(
        session.inQuery(
          'matrix_pk',
          db
            .selectFrom('matrices')
            .select('matrix_pk')
            .where('account', '=', account)
            .where('case_pk', '=', this.stored.pk),
        ),
      )
      .where(session.inList('item_pk', pks))
      .where('raw', '>', 0)
      .groupBy(['matrix_pk', 'rule_pk', 'raw'])
      .execute();
    await addTallies(
      this.#ctx,
      rows.map(({ matrix_pk, rule_pk, raw, n }) => ({
        matrix: matrix_pk,
        rule: rule_pk,
        tally: [0, 1, 2, 3].map((state) => (state === raw ? sign * n : 0)),
      })),
    );
  }
}

/** Rule numbers kept in memory; most stores never see as many rule names. */
const MAX_RULES = 20_000;

const rulesQuery = compiledOnce(
  (
    { db, inPlaceholder },
    { account, uids }: Placeholders<{ account: number; uids: readonly string[] }>,
  ) =>
    db
      .selectFrom('rules')
      .select(['rule_pk', 'rule_uid'])
      .where('account', '=', account)
      .where(inPlaceholder('rule_uid', uids, 'text')),
);

/** Numbers of rule names; new names get one. */
export async function internRules(
  ctx: WriteContext,
  uids: Iterable<string>,
): Promise<Map<string, number>> {
  const wanted = [...new Set(uids)];
  const pks = new Map<string, number>();
  const { session, ruleCache } = ctx;
  const cacheKey = (uid: string): string => `${session.account} ${uid}`;
  for (const uid of wanted) {
    const pk = ruleCache.get(cacheKey(uid));
    if (pk !== undefined) pks.set(uid, pk);
  }
  const missing = (): string[] => wanted.filter((uid) => !pks.has(uid));
  const read = async (): Promise<void> => {
    if (missing().length === 0) return;
    const { account } = session;
    const rows = await rulesQuery(session, { account, uids: missing() }).execute();
    for (const row of rows) {
      pks.set(row.rule_uid, row.rule_pk);
      if (ctx.addsRules !== true && ruleCache.size < MAX_RULES)
        ruleCache.set(cacheKey(row.rule_uid), row.rule_pk);
    }
  };
  await read();
  const fresh = missing().sort();
  if (fresh.length === 0) return pks;
  ctx.addsRules = true;
  const numbers = await session.allocate('rules', fresh.length);
  await session.insert(
    'rules',
    ['rule_pk', 'rule_uid'],
    fresh.map((uid, index) => [numbers[index], uid]),
    { target: ['rule_uid'], update: [] },
  );
  await read();
  return pks;
}
