import type { z } from 'zod';
import { MAX_DETAILS } from '../../shared/contract/errors.ts';
import * as carrying from '../../shared/contract/v1/carry-forward.ts';
import * as evidence from '../../shared/contract/v1/evidence.ts';
import * as reverts from '../../shared/contract/v1/reverts.ts';
import { ApiError } from '../context/errors.ts';
import { toPage } from '../http/page.ts';
import { type Route, readRoute, writeRoute } from '../http/route.ts';
import { nameItems } from './new-items.ts';
import { partOfPage } from './parts.ts';
import { seesKeys, shownTo } from './shown-keys.ts';

/** An outcome of an item's cell. All have one shape, which is read much faster than several. */
const outcomeOf = (
  item_uid: string,
  { rule_uid, raw_outcome, source_value, notes, provenance, if_revision }: evidence.CellInput,
): evidence.OutcomeInput => ({
  item_uid,
  rule_uid,
  raw_outcome,
  source_value,
  notes,
  provenance,
  if_revision,
});

type OnConflict = z.infer<typeof evidence.EvidenceInput>['on_conflict'];

/** A dry run tells of each cell what would become of it, also where nobody asked for revisions. */
const conflictsOf = (asked: OnConflict, dryRun: boolean): OnConflict =>
  asked ?? (dryRun ? 'refuse' : undefined);

/** The receipt; the short one names those cells alone that were skipped. */
function receiptFor(receipt: evidence.EvidenceReceipt, minimal: boolean) {
  const { outcomes, ...counts } = receipt;
  if (!minimal || outcomes === undefined) return { value: receipt, minimal };
  const skipped = outcomes.filter(({ status }) => status === 'skipped');
  return { value: { ...counts, ...(skipped.length > 0 && { outcomes: skipped }) }, minimal };
}

export const evidenceRoutes: readonly Route[] = [
  readRoute(evidence.getEvidence, async ({ actor, role, params, query, reader }) => {
    const { recorded_by_kind: kind, recorded_by_name: name, limit: _, cursor: __, ...of } = query;
    const recorded_by =
      kind === undefined && name === undefined ? {} : { recorded_by: { kind, name } };
    const page = await reader.evidence.page(
      actor.account_id,
      { ...of, case_uid: params.caseUid, profile_version: query.profile_version, ...recorded_by },
      toPage(query),
      seesKeys(role),
    );
    return {
      status: 200,
      json: query.fields === undefined ? page.json : partOfPage(page.value(), query.fields),
      etag: `"${page.etag}"`,
      counted: { resource: params.caseUid },
    };
  }),

  readRoute(evidence.getHistory, async ({ actor, role, params, query, reader }) => {
    const { profile_uid, profile_version, item_uid, rule_uid } = query;
    const { data, next_cursor } = await reader.evidence.history(
      actor.account_id,
      { case_uid: params.caseUid, profile_uid, profile_version, item_uid, rule_uid },
      toPage(query),
    );
    return {
      status: 200,
      value: { data: data.map((step) => shownTo(role, step)), next_cursor },
      counted: { resource: params.caseUid },
    };
  }),

  writeRoute(evidence.recordEvidenceBatch, async (call) => {
    const { actor, body, precondition, prefersMinimal, dryRun, deps, writer } = call;
    const outcomes: evidence.OutcomeInput[] = [];
    /**
     * Of each item, the number of outcomes before its own: paths are made where something is wrong
     * only.
     */
    const before: number[] = [];
    const { items: whole, named } = nameItems(body.items, deps);
    const items = whole.map(({ evidence = [], ...item }) => {
      before.push(outcomes.length);
      for (const cell of evidence) outcomes.push(outcomeOf(item.item_uid, cell));
      return item;
    });
    if (outcomes.length > evidence.MAX_OUTCOMES) {
      throw new ApiError('validation_failed', {
        details: [
          {
            path: '/items',
            code: 'too_big',
            message: `A request writes at most ${evidence.MAX_OUTCOMES} outcomes.`,
          },
        ],
      });
    }
    const outcomePath = (index: number): string => {
      const item = before.findLastIndex((count) => count <= index);
      return `/items/${item}/evidence/${index - (before[item] ?? 0)}`;
    };
    const { case_uid, profile_uid, profile_version, reason, on_conflict } = body;
    const receipt = await writer.evidenceWrites.record(
      actor,
      {
        case_uid,
        profile_uid,
        profile_version,
        items,
        outcomes,
        reason,
        on_conflict: conflictsOf(on_conflict, dryRun),
        itemPath: (index) => `/items/${index}`,
        outcomePath,
      },
      precondition,
    );
    return {
      status: 200,
      ...receiptFor({ ...receipt, ...named }, prefersMinimal),
      counted: { resource: case_uid, cells_written: receipt.outcomes_written },
    };
  }),

  writeRoute(evidence.recordEvidence, async (call) => {
    const { actor, params, body, precondition, prefersMinimal, dryRun, deps, writer } = call;
    const { items, named } = nameItems(body.items ?? [], deps);
    const receipt = await writer.evidenceWrites.record(
      actor,
      {
        case_uid: params.caseUid,
        profile_uid: body.profile_uid,
        profile_version: body.profile_version,
        items,
        outcomes: body.outcomes ?? [],
        reason: body.reason,
        on_conflict: conflictsOf(body.on_conflict, dryRun),
        itemPath: (index) => `/items/${index}`,
        outcomePath: (index) => `/outcomes/${index}`,
      },
      precondition,
    );
    return {
      status: 200,
      ...receiptFor({ ...receipt, ...named }, prefersMinimal),
      counted: { resource: receipt.case_uid, cells_written: receipt.outcomes_written },
    };
  }),

  writeRoute(carrying.carryForward, async ({ actor, params, body, writer }) => {
    const value = await writer.evidenceWrites.carryForward(actor, params.caseUid, body);
    const { profile_uid, from_version, to_version, copied } = value;
    if (copied > 0)
      writer.audit.add({
        action: 'evidence.carried',
        object: params.caseUid,
        detail: { profile_uid, from_version, to_version, copied, reason: body.reason ?? null },
      });
    return {
      status: 200,
      value,
      counted: { resource: params.caseUid, cells_written: copied },
    };
  }),

  writeRoute(reverts.revertChanges, async ({ actor, params, body, writer }) => {
    const receipt = await writer.evidenceWrites.revert(actor, params.caseUid, body);
    const { changes, reverted } = receipt;
    if (reverted > 0) {
      const { reason, key_id = null, since = null, changes: named = [] } = body;
      writer.audit.add({
        action: 'evidence.reverted',
        object: params.caseUid,
        detail: {
          reason,
          reverted,
          named: named.slice(0, MAX_DETAILS),
          key_id,
          since,
          changes: changes.slice(0, MAX_DETAILS),
        },
      });
    }
    return {
      status: 200,
      value: receipt,
      counted: { resource: params.caseUid, cells_written: reverted },
    };
  }),
];
