import { endSession } from '../../../shared/contract/v1/team.ts';
import { Refusal } from '../../errors.ts';
import { writeRoute } from '../../route.ts';

export const endSessionRoute = writeRoute(
  endSession,
  async ({ actor, params, writer }) => {
    const ended = await writer.sessionWrites.end(actor.user_id, { session_id: params.sessionId });
    if (ended === 0) throw new Refusal('not_found');
    writer.audit.add({ action: 'session.ended', object: actor.user_id, detail: { ended } });
    return { status: 200, value: { ended } };
  },
  { acrossAccounts: true, endsCaller: true },
);
