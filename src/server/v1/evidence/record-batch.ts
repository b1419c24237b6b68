import {
  MAX_OUTCOMES,
  type OutcomeInput,
  recordEvidenceBatch,
} from '../../../shared/contract/v1/evidence.ts';
import { Refusal } from '../../errors.ts';
import { writeRoute } from '../../route.ts';

export const recordEvidenceBatchRoute = writeRoute(
  recordEvidenceBatch,
  async ({ actor, body, precondition, writer }) => {
    const outcomes: OutcomeInput[] = [];
    /**
     * Of each item, the number of outcomes before its own: paths are made where something is wrong
     * only.
     */
    const before: number[] = [];
    const items = body.items.map(({ evidence = [], ...item }) => {
      before.push(outcomes.length);
      for (const cell of evidence) outcomes.push({ item_uid: item.item_uid, ...cell });
      return item;
    });
    if (outcomes.length > MAX_OUTCOMES) {
      throw new Refusal('validation_failed', {
        details: [
          {
            path: '/items',
            code: 'too_big',
            message: `A request writes at most ${MAX_OUTCOMES} outcomes.`,
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
        on_conflict,
        itemPath: (index) => `/items/${index}`,
        outcomePath,
      },
      precondition,
    );
    return {
      status: 200,
      value: receipt,
      counted: { resource: case_uid, cells_written: receipt.outcomes_written },
    };
  },
);
