import { endOtherSessions } from '../../../shared/contract/v1/team.ts';
import { writeRoute } from '../../route.ts';

export const endOtherSessionsRoute = writeRoute(
  endOtherSessions,
  async ({ actor, session, writer }) => {
    const ended = await writer.sessionWrites.end(actor.user_id, { but: session });
    if (ended > 0)
      writer.audit.add({ action: 'session.ended', object: actor.user_id, detail: { ended } });
    return { status: 200, value: { ended } };
  },
  { acrossAccounts: true },
);
