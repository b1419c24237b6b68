import * as team from '../../shared/contract/v1/team.ts';
import { CONFIRMED, requireConfirmed } from '../auth/confirmed.ts';
import { whyGuessable } from '../auth/guessable.ts';
import { INVITATION_LIFE, invite } from '../auth/invite.ts';
import { checkPassword } from './password-again.ts';
import { ApiError } from '../context/errors.ts';
import { type Route, readRoute, serviceRoute, writeRoute } from '../http/route.ts';
import { sessionValue } from './account.ts';

/**
 * Of one person: more teams than anybody works in, and fewer than would be a burden to the server.
 */
const MAX_ACCOUNTS = 50;

export const teamRoutes: readonly Route[] = [
  writeRoute(
    team.changeMember,
    async ({ actor, params, body, writer, ...call }) => {
      await requireConfirmed(writer, call, actor.user_id);
      const { previous, member } = await writer.teamWrites.changeRole(
        actor.account_id,
        params.userId,
        body.role,
      );
      if (previous.role !== member.role)
        writer.audit.add({
          action: 'member.role_changed',
          object: member.user_id,
          detail: { from: previous.role, to: member.role },
        });
      return { status: 200, value: member };
    },
    { endsCredential: true, changesMembers: true },
  ),

  serviceRoute(
    team.changePassword,
    async ({ actor, origin, session, body, deps, now, transact }) => {
      const person = await deps.store.read((reader) => reader.team.person(actor.user_id));
      if (session === null || person === undefined || person.password === null)
        throw new ApiError('conflict', {
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
        throw new ApiError('wrong_password');
      }
      const accounts = await deps.store.read((reader) => reader.team.accountsOf(actor.user_id));
      const why = await whyGuessable(body.next, [
        actor.user_name,
        person.email ?? '',
        ...accounts.map(({ name }) => name),
      ]);
      if (why !== undefined)
        throw new ApiError('validation_failed', {
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
  ),

  serviceRoute(team.confirmSession, async (call) => {
    const { actor, session, body, now, transact } = call;
    if (session === null || !(await checkPassword(call, body.password)))
      return { status: 200, value: { confirmed_until: null } };
    await transact(async (writer) => {
      await writer.sessionWrites.confirm(session);
      writer.audit.add({ action: 'sign_in.confirmed', object: actor.user_id });
    });
    return { status: 200, value: { confirmed_until: new Date(now + CONFIRMED).toISOString() } };
  }),

  writeRoute(
    team.createAccount,
    async ({ actor, body, deps, writer, ...call }) => {
      if (deps.home !== 'hosted')
        throw new ApiError('conflict', {
          message: 'Only a hosted server has several accounts: this studio is for one person.',
        });
      if (deps.operatorOnly.accounts)
        throw new ApiError('operator_only', {
          message: 'On this server accounts are opened by whoever runs it: ask them for one.',
        });
      await requireConfirmed(writer, call, actor.user_id);
      if ((await writer.team.accountsOf(actor.user_id)).length >= MAX_ACCOUNTS)
        throw new ApiError('conflict', {
          message: `Nobody is in more than ${MAX_ACCOUNTS} accounts.`,
        });
      const value = await writer.teamWrites.createAccount(body.name, actor.user_id);
      writer.audit.add({
        action: 'account.created',
        object: value.account_id,
        detail: { name: value.name },
        account_id: value.account_id,
      });
      return { status: 201, value, location: '/api/v1/account' };
    },
    { acrossAccounts: 'every' },
  ),

  writeRoute(
    team.createInvitation,
    async ({ actor, body, deps, writer, ...call }) => {
      if (deps.home !== 'hosted')
        throw new ApiError('conflict', {
          message: 'Only a hosted server takes invitations: this studio is for one person.',
        });
      await requireConfirmed(writer, call, actor.user_id);
      const { role, name = null } = body;
      const expires_at = new Date(call.now + INVITATION_LIFE).toISOString();
      const value = await invite(writer, deps, deps.url, {
        account_id: actor.account_id,
        role,
        name,
        user_id: null,
        created_by: actor.user_id,
        expires_at,
      });
      writer.audit.add({
        action: 'invitation.created',
        object: value.invitation.invitation_id,
        detail: { role, name, expires_at },
      });
      const location = `/api/v1/invitations/${value.invitation.invitation_id}`;
      return { status: 201, value, location, unrepeatable: true };
    },
    { changesMembers: true },
  ),

  writeRoute(
    team.dismissTriedPasswords,
    async ({ actor, writer }) => ({
      status: 200,
      value: { dismissed: await writer.signInLimits.forgetTried(actor.user_id) },
    }),
    { acrossAccounts: true },
  ),

  writeRoute(
    team.endOtherSessions,
    async ({ actor, session, writer }) => {
      const ended = await writer.sessionWrites.end(actor.user_id, { but: session });
      if (ended > 0)
        writer.audit.add({ action: 'session.ended', object: actor.user_id, detail: { ended } });
      return { status: 200, value: { ended } };
    },
    { acrossAccounts: true },
  ),

  writeRoute(
    team.endSession,
    async ({ actor, params, writer }) => {
      const ended = await writer.sessionWrites.end(actor.user_id, { session_id: params.sessionId });
      if (ended === 0) throw new ApiError('not_found');
      writer.audit.add({ action: 'session.ended', object: actor.user_id, detail: { ended } });
      return { status: 200, value: { ended } };
    },
    { acrossAccounts: true, endsCredential: true },
  ),

  readRoute(team.listMembers, async ({ actor, role, reader }) => ({
    status: 200,
    value: {
      members: await reader.team.members(actor.account_id),
      invitations: role === 'owner' ? await reader.team.invitations(actor.account_id) : [],
    },
  })),

  readRoute(
    team.listSessions,
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
  ),

  writeRoute(
    team.removeMember,
    async ({ actor, params, writer, ...call }) => {
      await requireConfirmed(writer, call, actor.user_id);
      const value = await writer.teamWrites.remove(actor.account_id, params.userId);
      writer.audit.add({
        action: 'member.removed',
        object: value.user_id,
        detail: { name: value.name, role: value.role },
      });
      return { status: 200, value };
    },
    { endsCredential: true, changesMembers: true },
  ),

  writeRoute(team.renameAccount, async ({ actor, body, writer }) => {
    const { account_id, name, previous } = await writer.teamWrites.rename(
      actor.account_id,
      body.name,
    );
    if (name !== previous)
      writer.audit.add({
        action: 'account.renamed',
        object: account_id,
        detail: { from: previous, to: name },
      });
    return { status: 200, value: { account_id, name } };
  }),

  writeRoute(
    team.switchAccount,
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
    { acrossAccounts: true, endsCredential: true },
  ),

  writeRoute(team.withdrawInvitation, async ({ actor, params, writer }) => {
    const value = await writer.teamWrites.withdraw(actor.account_id, params.invitationId);
    if (value === undefined) throw new ApiError('not_found');
    writer.audit.add({
      action: 'invitation.revoked',
      object: value.invitation_id,
      detail: { role: value.role, name: value.name },
    });
    return { status: 200, value };
  }),
];
