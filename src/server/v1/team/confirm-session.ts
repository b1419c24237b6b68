import { confirmSession } from '../../../shared/contract/v1/team.ts';
import { CONFIRMED } from '../../auth/confirmed.ts';
import { Refusal } from '../../errors.ts';
import { serviceRoute } from '../../route.ts';

export const confirmSessionRoute = serviceRoute(
  confirmSession,
  async ({ actor, origin, session, body, deps, now, transact }) => {
    const { password = null } =
      (await deps.store.read((reader) => reader.team.person(actor.user_id))) ?? {};
    if (session === null || password === null)
      return { status: 200, value: { confirmed_until: null } };
    const people = await deps.people();
    if (
      !(await deps.signInLimits.confirm(actor.user_id, () =>
        people.isRight(actor.user_id, body.password),
      ))
    ) {
      deps.refusals.note({
        action: 'sign_in.failed',
        account_id: actor.account_id,
        object: actor.user_id,
        address: origin.address,
        reason: 'wrong_password',
      });
      throw new Refusal('wrong_password');
    }
    await transact(async (writer) => {
      await writer.sessionWrites.confirm(session);
      writer.audit.add({ action: 'sign_in.confirmed', object: actor.user_id });
    });
    return { status: 200, value: { confirmed_until: new Date(now + CONFIRMED).toISOString() } };
  },
);
