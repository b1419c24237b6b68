import type { CaseUid } from '../../../shared/contract/ids.ts';
import type { PolicyInput } from '../../../shared/contract/v1/suggestions.ts';
import { formatRegister, type Register } from '../../../sync/register.ts';
import type { Actor } from '../db/actor.ts';
import type { WriteContext } from '../db/context.ts';
import { openStream } from '../log/change-log.ts';
import { CaseView } from '../records/case-view.ts';
import { needCase } from '../records/cases.ts';
import { writeFields } from '../records/write-fields.ts';

const POLICY: Register = { kind: 'policy', field: 'requires_source' };

/**
 * Whether suggestions and agents' outcomes of a case have to show what they rest on (YS7). True where
 * that was not so before.
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
