import { push } from '../../../shared/contract/sync.ts';
import { hlcMs } from '../../../sync/clock.ts';
import { writeRoute } from '../../route.ts';

export const pushRoute = writeRoute(push, async ({ now, actor, params, body, witness, writer }) => {
  const { results, position, oldest } = await writer.log.push(
    actor,
    params.caseUid,
    body.changes,
    witness,
  );
  return {
    status: 200,
    value: { results, ...position },
    counted: {
      resource: params.caseUid,
      ...(oldest !== null && {
        pushed: {
          changes: results.filter(({ status }) => status !== 'duplicate').length,
          oldestMs: now - hlcMs(oldest),
        },
      }),
    },
  };
});
