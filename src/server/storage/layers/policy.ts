import type { CaseUid } from '../../../shared/contract/ids.ts';
import type { PolicyInput } from '../../../shared/contract/v1/suggestions.ts';
import { formatRegister, layerOf, type Register } from '../../../sync/register.ts';
import type { ErrorDetail } from '../../../shared/contract/errors.ts';
import { mayRelay } from '../../../shared/contract/rights.ts';
import type { Actor } from '../db/actor.ts';
import type { WriteContext } from '../db/context.ts';
import { StoreError } from '../db/errors.ts';
import { isUncited } from './citations.ts';
import { refuse } from '../evidence/draft-items.ts';
import { appliedEntries, type ValidatedChange } from '../log/log-view.ts';
import { openStream, type Stream } from '../log/change-log.ts';
import { CaseView } from '../records/case-view.ts';
import { findAnyCase, needCase, type StoredCase } from '../records/cases.ts';
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
 * Refuses what a key pushes of its own, to the log of a case or of its own layer, and shows nothing
 * that it rests on. Status knows no policy, so what is relayed is never refused (S1).
 */
export async function refuseUncited(
  ctx: WriteContext,
  { stream, found }: { stream: Stream; found: StoredCase | undefined },
  sent: readonly { id: string }[],
  changes: Iterable<ValidatedChange>,
): Promise<void> {
  const { credential } = ctx;
  if (credential === undefined || credential.authMethod !== 'key' || mayRelay(credential)) return;
  const layer = layerOf(stream.name);
  const about = layer === undefined ? found : await findAnyCase(ctx, stream.account, layer.case);
  if (about?.requiresSource !== true) return;
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
