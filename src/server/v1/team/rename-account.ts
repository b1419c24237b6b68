import { renameAccount } from '../../../shared/contract/v1/team.ts';
import { writeRoute } from '../../route.ts';

export const renameAccountRoute = writeRoute(renameAccount, async ({ actor, body, writer }) => {
  const { account_id, name, former } = await writer.teamWrites.rename(actor.account_id, body.name);
  if (name !== former)
    writer.audit.add({
      action: 'account.renamed',
      object: account_id,
      detail: { from: former, to: name },
    });
  return { status: 200, value: { account_id, name } };
});
