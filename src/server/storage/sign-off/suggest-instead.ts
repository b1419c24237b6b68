import type {
  EvidenceReceipt,
  OutcomeAnswer,
  OutcomeInput,
} from '../../../shared/contract/v1/evidence.ts';
import type { SuggestionAnswer, SuggestionInput } from '../../../shared/contract/v1/suggestions.ts';
import type { Actor } from '../db/actor.ts';
import type { WriteContext } from '../db/context.ts';
import { StoreError } from '../db/errors.ts';
import { asksForEach, type EvidenceWrite } from '../evidence/evidence-answers.ts';
import { suggest } from '../layers/suggest.ts';

/** An outcome as a suggestion; undefined where it says more, or less, than one can. */
function suggestionOf({
  item_uid,
  rule_uid,
  raw_outcome,
  source_value,
  notes,
  provenance,
  if_revision,
}: OutcomeInput): SuggestionInput | undefined {
  if (raw_outcome === undefined || raw_outcome === null || (notes ?? null) !== null)
    return undefined;
  return {
    item_uid,
    rule_uid,
    raw_outcome,
    ...(source_value && { source_value }),
    ...(provenance && { provenance }),
    ...(if_revision !== undefined && { if_revision }),
  };
}

/**
 * Z4: what is recorded in an approved case becomes suggestions of whoever recorded it, which the
 * receipt says. What no suggestion can say is refused, and nothing is stored.
 */
export async function suggestInstead(
  ctx: WriteContext,
  actor: Actor,
  write: EvidenceWrite,
): Promise<EvidenceReceipt> {
  const suggestions = write.outcomes.flatMap((outcome) => suggestionOf(outcome) ?? []);
  const named = new Set<string>(write.outcomes.map(({ item_uid }) => item_uid));
  const restated = write.items.every(
    (item) =>
      named.has(item.item_uid) &&
      Object.values(item).filter((member) => member !== undefined).length === 1,
  );
  if (!restated || suggestions.length < write.outcomes.length)
    throw new StoreError('case_approved', '');
  const { case_uid, profile_uid, profile_version, reason, on_conflict } = write;
  const receipt = await suggest(ctx, actor, case_uid, {
    profile_uid,
    profile_version,
    suggestions,
    reason,
    on_conflict,
    pathOf: write.outcomePath,
  });
  return {
    case_uid,
    profile_uid: receipt.profile_uid,
    profile_version: receipt.profile_version,
    items_created: 0,
    items_updated: 0,
    outcomes_written: 0,
    outcomes_unchanged: receipt.unchanged,
    outcomes_suggested: receipt.written,
    ...(receipt.skipped > 0 && { outcomes_skipped: receipt.skipped }),
    changes: receipt.changes,
    ...(asksForEach(write) && { outcomes: receipt.suggestions.map(answerOf) }),
  };
}

const answerOf = ({ item_uid, rule_uid, status, revision }: SuggestionAnswer): OutcomeAnswer => ({
  item_uid,
  rule_uid,
  status: status === 'written' ? 'suggested' : status,
  ...(revision !== undefined && { revision }),
});
