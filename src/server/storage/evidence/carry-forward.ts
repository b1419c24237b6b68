import type { CaseUid } from '../../../shared/contract/ids.ts';
import {
  type CarriedForward,
  type CarriedRule,
  type CarryForwardInput,
  MAX_CARRIED,
} from '../../../shared/contract/v1/carry-forward.ts';
import type { Cell, Evidence, OutcomeInput } from '../../../shared/contract/v1/evidence.ts';
import { planRules } from '../../../shared/domain/carry-plan.ts';
import type { Actor } from '../db/actor.ts';
import type { WriteContext } from '../db/context.ts';
import { StoreError } from '../db/errors.ts';
import { caseAndProfile, refuseUnsettled } from '../records/case-profile.ts';
import { upsertCase } from '../records/case-upsert.ts';
import type { StoredCase } from '../records/cases.ts';
import { refuseHidden } from '../rounds/hidden-cells.ts';
import { evidencePage } from './evidence-page.ts';
import { recordEvidence } from './evidence-write.ts';

const ITEMS_AT_ONCE = 200;

type CaseOf = { stored: StoredCase; rules: Map<string, CarriedRule> };
type Counts = Pick<CarriedForward, 'copied' | 'kept' | 'contested' | 'changes'>;

/** Refuses what cannot be carried; answers the case, and what is to become of each rule. */
async function prepare(
  ctx: WriteContext,
  { account_id }: Actor,
  case_uid: CaseUid,
  { profile_uid, from_version, to_version }: CarryForwardInput,
): Promise<CaseOf> {
  if (from_version === to_version)
    throw new StoreError('validation_failed', 'Nothing is carried from a version to itself.', [
      { path: '/to_version', code: 'same_version', message: 'Name another version.' },
    ]);
  const versionOf = (profile_version: typeof from_version) =>
    caseAndProfile(ctx, account_id, { case_uid, profile_uid, profile_version });
  const from = await versionOf(from_version);
  const to = await versionOf(to_version);
  if (to.stored.stage === 'approved') throw new StoreError('case_approved', '');
  refuseUnsettled(from);
  refuseUnsettled(to);
  for (const { profile } of [from, to])
    await refuseHidden(ctx, account_id, case_uid, profile.document);
  const plan = planRules(from.profile.document, to.profile.document);
  const rules = new Map<string, CarriedRule>();
  const add = (rule: CarriedRule['rule'], of: readonly { ruleUid: string }[]): void => {
    for (const { ruleUid } of of)
      rules.set(ruleUid, { rule_uid: ruleUid, rule, recorded: 0, copied: 0 });
  };
  add('unchanged', plan.copied);
  add('changed', plan.review);
  add('removed', plan.removed);
  add('added', plan.added);
  return { stored: to.stored, rules };
}

/** Whether a cell says anything, or people differ about what it says. */
const says = ({ raw_outcome, source_value, notes, provenance, contested }: Cell): boolean =>
  contested || [raw_outcome, source_value, notes, provenance].some((member) => member !== null);

/**
 * The outcomes of a page that are copied beside what the same items have under the other version.
 */
function chooseCells(
  from: Evidence['items'],
  to: Evidence['items'],
  rules: CaseOf['rules'],
  counts: Counts,
): OutcomeInput[] {
  const taken = new Set(
    to.flatMap(({ evidence }) =>
      evidence.filter(says).map(({ item_uid, rule_uid }) => `${rule_uid}/${item_uid}`),
    ),
  );
  const chosen: OutcomeInput[] = [];
  for (const cell of from.flatMap(({ evidence }) => evidence)) {
    const rule = rules.get(cell.rule_uid);
    if (rule === undefined || !says(cell)) continue;
    if (cell.raw_outcome !== null) rule.recorded += 1;
    if (rule.rule !== 'unchanged') continue;
    if (taken.has(`${cell.rule_uid}/${cell.item_uid}`)) counts.kept += 1;
    else if (cell.contested) counts.contested += 1;
    else {
      const { item_uid, rule_uid, raw_outcome, source_value, notes, provenance } = cell;
      rule.copied += 1;
      counts.copied += 1;
      chosen.push({
        item_uid: item_uid as OutcomeInput['item_uid'],
        rule_uid: rule_uid as OutcomeInput['rule_uid'],
        raw_outcome,
        source_value,
        notes,
        provenance,
      });
    }
  }
  if (counts.copied > MAX_CARRIED)
    throw new StoreError('validation_failed', 'The case has too much evidence for one request.', [
      {
        path: '/from_version',
        code: 'too_many_outcomes',
        message: `At most ${MAX_CARRIED} outcomes are carried forward.`,
      },
    ]);
  return chosen;
}

/** Records the outcomes under the version that they are carried to; the names of the changes. */
async function copy(
  ctx: WriteContext,
  actor: Actor,
  case_uid: CaseUid,
  { profile_uid, to_version, reason }: CarryForwardInput,
  outcomes: OutcomeInput[],
): Promise<string[]> {
  const place = (): string => '/from_version';
  const { changes } = await recordEvidence(
    ctx,
    actor,
    {
      case_uid,
      profile_uid,
      profile_version: to_version,
      items: [],
      outcomes,
      reason,
      itemPath: place,
      outcomePath: place,
    },
    undefined,
  );
  return changes;
}

/**
 * Copies outcome, source value, notes and provenance to another version of the profile, where a
 * rule means the same in both and nothing is recorded yet. The version it is from keeps all.
 */
export async function carryForward(
  ctx: WriteContext,
  actor: Actor,
  case_uid: CaseUid,
  input: CarryForwardInput,
): Promise<CarriedForward> {
  const { profile_uid, from_version, to_version, use, reason } = input;
  const { stored, rules } = await prepare(ctx, actor, case_uid, input);
  const counts: Counts = { copied: 0, kept: 0, contested: 0, changes: [] };
  const why = reason ?? `Carried forward from ${profile_uid}@${from_version}.`;
  const pageOf = async (profile_version: typeof from_version, cursor: string | undefined) =>
    (
      await evidencePage(
        ctx,
        actor.account_id,
        { case_uid, profile_uid, profile_version },
        { limit: ITEMS_AT_ONCE, cursor },
      )
    ).value();
  let cursors: [from: string | undefined, to: string | undefined] | undefined = [
    undefined,
    undefined,
  ];
  while (cursors !== undefined) {
    const from = await pageOf(from_version, cursors[0]);
    const to = await pageOf(to_version, cursors[1]);
    const outcomes = chooseCells(from.items, to.items, rules, counts);
    if (outcomes.length > 0)
      counts.changes.push(
        ...(await copy(ctx, actor, case_uid, { ...input, reason: why }, outcomes)),
      );
    cursors =
      from.next_cursor === null ? undefined : [from.next_cursor, to.next_cursor ?? undefined];
  }
  if (use === true)
    await upsertCase(
      ctx,
      actor,
      {
        project_id: stored.record.project_id,
        case_uid,
        profile_uid,
        profile_version: to_version,
        reason: why,
      },
      undefined,
    );
  return { case_uid, profile_uid, from_version, to_version, ...counts, rules: [...rules.values()] };
}
