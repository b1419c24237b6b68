import { MAX_OUTCOMES, type OutcomeInput, recordEvidenceBatch } from '../../../shared/contract/v1/evidence.ts';
import { Refusal } from '../../errors.ts';
import { writeRoute } from '../../route.ts';

export const recordEvidenceBatchRoute = writeRoute(recordEvidenceBatch, async ({ actor, body, precondition, writer }) => {
  const outcomes: OutcomeInput[] = [];
  const outcomePaths: string[] = [];
  const items = body.items.map(({ evidence = [], ...item }, index) => {
    evidence.forEach((cell, at) => {
      outcomes.push({ item_uid: item.item_uid, ...cell });
      outcomePaths.push(`/items/${index}/evidence/${at}`);
    });
    return item;
  });
  if (outcomes.length > MAX_OUTCOMES) {
    throw new Refusal('validation_failed', { details: [{ path: '/items', code: 'too_big', message: `A request writes at most ${MAX_OUTCOMES} outcomes.` }] });
  }
  const { case_uid, profile_uid, profile_version, reason } = body;
  const receipt = await writer.evidenceWrites.record(
    actor,
    { case_uid, profile_uid, profile_version, items, outcomes, reason, itemPath: (index) => `/items/${index}`, outcomePath: (index) => outcomePaths[index] ?? '/items' },
    precondition,
  );
  return { status: 200, value: receipt, counted: { resource: case_uid, cells_written: receipt.outcomes_written } };
});
