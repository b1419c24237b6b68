import { listSessions } from '../../../shared/contract/v1/team.ts';
import { readRoute } from '../../route.ts';

export const listSessionsRoute = readRoute(
  listSessions,
  async ({ actor, session, reader }) => {
    const [current, all] = [
      session === null ? undefined : await reader.sessions.byHash(session),
      await reader.team.sessions(actor.user_id),
    ];
    const sessions = all.map(
      ({ session_id, created_at, last_seen_at, expires_at, address, browser }) => ({
        session_id,
        current: session_id === current?.session_id,
        created_at,
        last_seen_at,
        expires_at,
        address,
        browser,
      }),
    );
    return { status: 200, value: { sessions } };
  },
  { acrossAccounts: true },
);
