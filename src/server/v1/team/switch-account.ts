import { switchAccount } from '../../../shared/contract/v1/team.ts';
import { writeRoute } from '../../route.ts';
import { sessionValue } from '../account/session-value.ts';

export const switchAccountRoute = writeRoute(
  switchAccount,
  async ({ actor, session, body, deps, writer }) => {
    // Throws not_found where this person is no member of it.
    const value = await sessionValue(writer, deps, actor, body.account_id);
    if (session !== null && body.account_id !== actor.account_id) {
      await writer.sessionWrites.switch(session, body.account_id);
      writer.audit.add({
        action: 'session.switched',
        object: actor.user_id,
        detail: { from: actor.account_id, to: body.account_id },
      });
    }
    return { status: 200, value };
  },
  { acrossAccounts: true, endsCaller: true },
);
