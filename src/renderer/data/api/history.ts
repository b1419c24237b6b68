import { getHistory, type HistoryStep } from '../../../shared/contract/v1/evidence.ts';
import type { Hasher } from '../../../shared/lib/hash.ts';
import { entryName } from '../../../sync/change.ts';
import type { OutboxRow } from '../store/db.ts';
import { formatRegister } from '../../../sync/register.ts';
import type { Client } from './client.ts';
import { readChange } from '../store/stored-rows.ts';
import type { CellAddress } from '../store/port.ts';
import type { ProfileUid, CaseUid } from '../../../shared/contract/ids.ts';

const PAGE = '200';
const MAX_PAGES = 25;

type HistoryMatrix = { case_uid: CaseUid; profile_uid: ProfileUid; profile_version: string };

async function committed(
  client: Client,
  matrix: HistoryMatrix,
  cell: CellAddress,
): Promise<HistoryStep[] | null> {
  const steps: HistoryStep[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const result = await client.call(getHistory, {
      params: { caseUid: matrix.case_uid },
      query: {
        profile_uid: matrix.profile_uid,
        profile_version: matrix.profile_version,
        item_uid: cell.item,
        rule_uid: cell.rule,
        limit: PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      },
    });
    // A case, item or cell that the server does not know yet has no history there.
    if (result.kind === 'refused' && result.status === 404) return [];
    if (result.kind !== 'ok') return null;
    steps.push(...result.body.data);
    cursor = result.body.next_cursor ?? undefined;
    if (cursor === undefined) break;
  }
  return steps;
}

/** History steps from this window's outbox, which the server does not have yet. Oldest first. */
function unsent(
  rows: readonly OutboxRow[],
  matrix: HistoryMatrix,
  cell: CellAddress,
  isHead: (name: string) => boolean,
  userName: string,
  hasher: Hasher,
): (HistoryStep & { parents: string[] })[] {
  const at = {
    profile: matrix.profile_uid,
    version: matrix.profile_version,
    rule: cell.rule,
    item: cell.item,
  };
  const fields = new Map([
    [formatRegister({ kind: 'assertion', ...at }), 'outcome'],
    [formatRegister({ kind: 'notes', ...at }), 'notes'],
  ] as const);
  const needle = JSON.stringify(
    `/${matrix.profile_uid}@${matrix.profile_version}/${cell.rule}/${cell.item}`,
  ).slice(1);
  const steps: (HistoryStep & { parents: string[] })[] = [];
  for (const row of rows) {
    const change = row.text.includes(needle) ? readChange(row, hasher) : undefined;
    change?.entries.forEach((entry, index) => {
      const field = fields.get(entry.reg);
      if (field === undefined) return;
      const name = entryName(row.id, index);
      steps.push({
        entry: name,
        at: new Date(row.created).toISOString(),
        received_at: new Date(row.created).toISOString(),
        clock_differs: false,
        sent_by: null,
        relayed: false,
        by: userName,
        kind: change.by.kind,
        key_id: null,
        reason: change.why,
        recorded_by: { kind: change.by.kind, name: userName },
        restores: entry.restores ?? null,
        field,
        old: null,
        new: entry.value as HistoryStep['new'],
        current: isHead(name),
        parents: entry.parents,
      });
    });
  }
  return steps;
}

/**
 * A cell's history, newest first: the unsent steps of this window above those that the server has
 * committed.
 */
export async function cellHistory(
  client: Client,
  rows: () => Promise<OutboxRow[]>,
  matrix: HistoryMatrix,
  cell: CellAddress,
  isHead: (name: string) => boolean,
  userName: string,
  hasher: Hasher,
): Promise<{ steps: HistoryStep[]; complete: boolean }> {
  const known = await committed(client, matrix, cell);
  const names = new Set(known?.map((step) => step.entry));
  const local = unsent(await rows(), matrix, cell, isHead, userName, hasher).filter(
    (step) => !names.has(step.entry),
  );
  const values = new Map([...(known ?? []), ...local].map((step) => [step.entry, step.new]));
  const superseded = new Set(local.flatMap((step) => step.parents));
  const writers = new Map(
    [...(known ?? []), ...local].map((step) => [step.entry, step.recorded_by]),
  );
  const own = local.map(({ parents, ...step }): HistoryStep => ({
    ...step,
    recorded_by: writers.get(step.restores ?? '') ?? step.recorded_by,
    old: values.get(parents[0] ?? '') ?? null,
  }));
  const former = (known ?? []).map((step) =>
    superseded.has(step.entry) ? { ...step, current: false } : step,
  );
  return { steps: [...own.reverse(), ...former], complete: known !== null };
}
