import { createHmac } from 'node:crypto';
import { getCopyKey } from '../../../shared/contract/v1/account.ts';
import { readRoute } from '../../route.ts';

/**
 * Derived, not stored: whoever signs in again as the same person in the same browser opens the same
 * copies, and unsent work with them. Nobody else is given it, and without it what lies in the
 * browser cannot be read.
 */
export const getCopyKeyRoute = readRoute(
  getCopyKey,
  async ({ actor, query, deps }) => {
    const { keep, offlineMs } = deps.copies;
    const secret = createHmac(
      'sha256',
      createHmac('sha256', deps.pepper).update('copies in a browser').digest(),
    )
      .update(JSON.stringify([actor.user_id, query.browser]))
      .digest('base64url');
    return {
      status: 200,
      value: {
        user_id: actor.user_id,
        secret: keep === 'unknown' ? null : secret,
        keep: keep === 'yes',
        offline_seconds: keep === 'yes' ? Math.floor(offlineMs / 1_000) : 0,
      },
    };
  },
  { acrossAccounts: true },
);
