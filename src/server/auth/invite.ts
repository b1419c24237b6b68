import type { Deps } from '../context/deps.ts';
import type { Invitation } from '../../shared/contract/v1/team.ts';
import { hashOf, mintToken } from './session.ts';
import type { NewInvitation } from '../storage/accounts/invitations.ts';
import type { Writer } from '../storage/repositories.ts';

/** How long an invitation, or a link to choose a password, can be used, ms. */
export const INVITATION_LIFE = 7 * 24 * 3_600_000;
export const PASSWORD_LINK_LIFE = 3_600_000;

/**
 * Makes an invitation, or a link by which a user chooses a password. `url` is the server's. The
 * link is in this answer only and cannot be shown again. Its token stands after the #, which a
 * browser sends to nobody: no log of a server or proxy on the way has it, nor any page that is left
 * for another.
 */
export async function invite(
  writer: Writer,
  deps: Pick<Deps, 'random'>,
  url: string,
  invitation: NewInvitation,
): Promise<{ invitation: Invitation; url: string }> {
  const token = mintToken(deps.random);
  return {
    invitation: await writer.teamWrites.invite(hashOf(token), invitation),
    url: `${url}/join#${token}`,
  };
}
