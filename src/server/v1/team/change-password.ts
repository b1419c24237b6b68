import { changePassword } from '../../../shared/contract/v1/team.ts';
import { CONFIRMED } from '../../auth/confirmed.ts';
import { whyGuessable } from '../../auth/guessable.ts';
import { Refusal } from '../../errors.ts';
import { serviceRoute } from '../../route.ts';

export const changePasswordRoute = serviceRoute(
  changePassword,
  async ({ actor, origin, session, body, deps, now, transact }) => {
    const person = await deps.store.read((reader) => reader.team.person(actor.user_id));
    if (session === null || person === undefined || person.password === null)
      throw new Refusal('conflict', {
        message: 'There is no password here: this person signs in without one.',
      });
    const people = await deps.people();
    if (
      !(await deps.signInLimits.confirm(actor.user_id, () =>
        people.isRight(actor.user_id, body.current),
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
    const accounts = await deps.store.read((reader) => reader.team.accountsOf(actor.user_id));
    const why = await whyGuessable(body.next, [
      actor.user_name,
      person.email ?? '',
      ...accounts.map(({ name }) => name),
    ]);
    if (why !== undefined)
      throw new Refusal('validation_failed', {
        details: [{ path: '/next', code: 'guessable', message: why }],
      });
    const phc = await people.hash(body.next);
    await transact(async (writer) => {
      await people.setPassword(writer, actor.user_id, phc);
      await writer.sessionWrites.end(actor.user_id, { but: session });
      await writer.sessionWrites.confirm(session);
      writer.audit.add({ action: 'password.changed', object: actor.user_id });
    });
    return { status: 200, value: { confirmed_until: new Date(now + CONFIRMED).toISOString() } };
  },
);
