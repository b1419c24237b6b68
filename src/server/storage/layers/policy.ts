import type { CaseUid } from '../../../shared/contract/ids.ts';
import type { PolicyInput } from '../../../shared/contract/v1/suggestions.ts';
import { formatRegister, type Register } from '../../../sync/register.ts';
import type { ErrorDetail } from '../../../shared/contract/errors.ts';
import { mayRelay } from '../../../shared/contract/rights.ts';
import type { Assertion } from '../../../sync/assertion.ts';
import { lacksCitation } from '../../../sync/layers/suggestions.ts';
import type { Suggestion } from '../../../sync/layers/values.ts';
import type { Actor } from '../db/actor.ts';
import type { WriteContext } from '../db/context.ts';
import { StoreError } from '../db/errors.ts';
import { refuse } from '../evidence/draft-items.ts';
import { appliedEntries, type ValidatedChange } from '../log/log-view.ts';
import { openStream } from '../log/change-log.ts';
import { CaseView } from '../records/case-view.ts';
import { needCase } from '../records/cases.ts';
import { writeFields } from '../records/write-fields.ts';

const POLICY: Register = { kind: 'policy', field: 'requires_source' };

/**
 * Whether suggestions and agents' outcomes of a case have to show what they rest on (YS7). True
 * where that was not so before.
 */
export async function setPolicy(
  ctx: WriteContext,
  actor: Actor,
  caseUid: CaseUid,
  { requires_source: value, reason }: PolicyInput,
): Promise<boolean> {
  const stream = await openStream(ctx, actor.account_id, caseUid);
  const stored = await needCase(ctx, actor.account_id, caseUid);
  if (stored.requiresSource === value) return false;
  const view = new CaseView(ctx, stream, stored);
  const binding = view.registers.binding(formatRegister(POLICY), (shown) =>
    view.requireSource(shown),
  );
  await writeFields(ctx, actor, stream, view, [{ register: POLICY, value, binding }], reason);
  return true;
}

/**
 * Refuses what a key pushes of its own and shows nothing that it rests on. Status knows no policy,
 * so what is relayed is never refused (S1).
 */
export function refuseUncited(
  { credential }: Pick<WriteContext, 'credential'>,
  sent: readonly { id: string }[],
  changes: Iterable<ValidatedChange>,
): void {
  if (credential === undefined || credential.authMethod !== 'key' || mayRelay(credential)) return;
  const details: ErrorDetail[] = [];
  for (const change of changes)
    for (const { index, entry, register } of appliedEntries(change))
      if (isUncited(register, entry.value))
        refuse(
          details,
          `/changes/${sent.findIndex(({ id }) => id === change.id)}`,
          'citation_required',
          `Entry ${index} shows nothing that it rests on.`,
        );
  if (details.length > 0) throw new StoreError('citation_required', '', details);
}

function isUncited({ kind }: Register, value: unknown): boolean {
  if (kind === 'suggestion') return value !== null && lacksCitation(value as Suggestion);
  return (
    kind === 'assertion' &&
    (value as Assertion).raw_outcome !== null &&
    lacksCitation(value as Assertion)
  );
}
