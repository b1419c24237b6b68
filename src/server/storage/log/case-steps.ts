import type { AccountId, CaseUid } from '../../../shared/contract/ids.ts';
import type { CaseStep } from '../../../shared/contract/v1/audit.ts';
import type { AssignedPlace } from '../../../shared/domain/thread.ts';
import { type Change, entryName, parseEntryName } from '../../../sync/change.ts';
import { parseRegister } from '../../../sync/register.ts';
import { ChangeIndex } from './change-index.ts';
import type { ReadContext } from '../db/context.ts';
import { WorkCounter, yieldToEventLoop } from '../db/event-loop.ts';
import { unpack } from '../db/packed.ts';
import { receiptOf } from './received.ts';
import { attributionOf } from './recorded-by.ts';
import { hiddenCells } from '../rounds/hidden-cells.ts';
import { needStream } from './log-position.ts';

/** One piece holds at most this many changes and this many characters, but at least one change. */
const CHANGES = 50;
const CHARACTERS = 1_000_000;

type StepPlace = Pick<
  CaseStep,
  'field' | 'item_uid' | 'rule_uid' | 'profile_uid' | 'profile_version' | 'run_uid'
>;
const NOWHERE: StepPlace = {
  field: '',
  item_uid: null,
  rule_uid: null,
  profile_uid: null,
  profile_version: null,
  run_uid: null,
};

function assignedPlace({ on, ...place }: AssignedPlace): StepPlace {
  return { ...NOWHERE, field: `${on}.assigned`, ...place } as StepPlace;
}

/**
 * A register in the terms of the API; a register that this version does not know is named by its
 * address.
 */
export function placeOf(reg: string): StepPlace {
  const register = parseRegister(reg);
  switch (register?.kind) {
    case 'assertion':
    case 'notes':
      return {
        ...NOWHERE,
        field: register.kind === 'assertion' ? 'outcome' : 'notes',
        item_uid: register.item,
        rule_uid: register.rule,
        profile_uid: register.profile,
        profile_version: register.version,
      };
    case 'suggestion':
    case 'decision':
      return {
        ...NOWHERE,
        field: register.kind,
        item_uid: register.item,
        rule_uid: register.rule,
        profile_uid: register.profile,
        profile_version: register.version,
      };
    case 'policy':
      return { ...NOWHERE, field: `case.${register.field}` };
    case 'item':
      return { ...NOWHERE, field: `item.${register.field}`, item_uid: register.item };
    case 'case':
      return { ...NOWHERE, field: `case.${register.field}` };
    case 'document':
      return {
        ...NOWHERE,
        field: 'case.document',
        profile_uid: register.profile,
        profile_version: register.version,
      };
    case 'round':
      return { ...NOWHERE, field: `round.${register.field}` };
    case 'done':
    case 'removed':
      return { ...NOWHERE, field: `round.${register.kind}` };
    case 'thread':
      return { ...NOWHERE, field: 'thread' };
    case 'assigned':
      return assignedPlace(register.place);
    case 'run':
      return { ...NOWHERE, field: 'run', run_uid: register.run };
    case 'hidden':
      return { ...NOWHERE, field: 'run.hidden', run_uid: register.run };
    default:
      return { ...NOWHERE, field: reg };
  }
}

/** Values of the entries that these changes cite, by name: what the authors saw when they wrote. */
async function seenValues(
  ctx: ReadContext,
  streamPk: number,
  changes: readonly { change_id: string; change: Change }[],
): Promise<Map<string, { reg: string; value: unknown }>> {
  const parents = new Set(
    changes
      .flatMap(({ change }) => change.entries.map((entry) => entry.parents[0]))
      .filter((name) => name !== undefined),
  );
  const here = new Map(changes.map(({ change_id, change }) => [change_id, change]));
  const missing = [
    ...new Set([...parents].flatMap((name) => parseEntryName(name)?.id ?? [])),
  ].filter((id) => !here.has(id));
  const values = new Map<string, { reg: string; value: unknown }>();
  const keep = (id: string, { entries }: Change): void => {
    for (const [index, { reg, value }] of entries.entries())
      if (parents.has(`${id}#${index}`)) values.set(`${id}#${index}`, { reg, value });
  };
  for (const [id, change] of here) keep(id, change);
  const rows =
    missing.length === 0
      ? []
      : await ctx.session.db
          .selectFrom('changes')
          .select(['change_id', 'text', 'packed'])
          .where('account', '=', ctx.session.account)
          .where('stream_pk', '=', streamPk)
          .where('change_id', 'in', ctx.session.list(missing))
          .execute();
  for (const row of rows) {
    keep(row.change_id, JSON.parse(unpack(row.text, row.packed)) as Change);
    await yieldToEventLoop();
  }
  return values;
}

function rowsOf(
  { session: { db, account } }: ReadContext,
  streamPk: number,
  after: number,
  to: number,
) {
  return db
    .selectFrom('changes')
    .leftJoin('users', 'users.user_id', 'changes.actor')
    .select([
      'seq',
      'change_id',
      'text',
      'packed',
      'wall',
      'received_at',
      'author',
      'author_kind',
      'key_id',
      'why',
      'relayed',
      'actor',
      'sent_by',
      'quarantined',
      'users.name as sender',
    ])
    .where('account', '=', account)
    .where('stream_pk', '=', streamPk)
    .where('seq', '>', after)
    .where('seq', '<=', to)
    .orderBy('seq')
    .limit(CHANGES)
    .execute();
}
type CaseStepRow = Awaited<ReturnType<typeof rowsOf>>[number];

/** As many of these changes as one piece holds. */
async function fitting(
  rows: readonly CaseStepRow[],
): Promise<(CaseStepRow & { change: Change })[]> {
  const taken: (CaseStepRow & { change: Change })[] = [];
  let left = CHARACTERS;
  for (const row of rows) {
    const text = unpack(row.text, row.packed);
    left -= text.length;
    if (taken.length > 0 && left < 0) break;
    taken.push({ ...row, change: JSON.parse(text) as Change });
    await yieldToEventLoop();
  }
  return taken;
}

/**
 * The steps of a case's log after one position and up to another: as many as fit one piece, and
 * the position they go up to.
 */
export async function caseSteps(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
  after: number,
  to: number,
): Promise<{ steps: CaseStep[]; to: number }> {
  const streamPk = await needStream(ctx, account, caseUid);
  const taken = await fitting(await rowsOf(ctx, streamPk, after, to));
  const seen = await seenValues(ctx, streamPk, taken);
  const changes = new ChangeIndex(ctx.session, streamPk);
  const hidden = await hiddenCells(ctx, account, caseUid);
  const work = new WorkCounter();
  const steps: CaseStep[] = [];
  for (const { change, ...row } of taken) {
    const kept = row.quarantined === null ? [] : (JSON.parse(row.quarantined) as number[]);
    const own = { author: row.author, authorKind: row.author_kind, keyId: row.key_id };
    for (const [index, entry] of change.entries.entries()) {
      const { reg, parents, value } = entry;
      if (hidden?.hidesAddress(reg) === true) continue;
      const old = parents[0] === undefined ? undefined : seen.get(parents[0]);
      steps.push({
        seq: row.seq,
        index,
        change: row.change_id,
        ...receiptOf(row),
        by: row.author,
        user: change.by.user,
        kind: row.author_kind as CaseStep['kind'],
        key_id: row.key_id,
        reason: row.why,
        ...placeOf(reg),
        old: (old?.reg === reg ? old.value : null) as CaseStep['old'],
        new: value as CaseStep['new'],
        ...(await attributionOf(changes, own, entry, entryName(row.change_id, index))),
        applied: !kept.includes(index),
      });
      if (work.due()) await yieldToEventLoop();
    }
  }
  return { steps, to: taken.at(-1)?.seq ?? to };
}
