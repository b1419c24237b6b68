import type { z } from 'zod';
import type { Session } from '../../../shared/contract/v1/account.ts';
import { Refusal } from '../../errors.ts';
import type { HandlerDeps } from '../../route.ts';
import type { Actor } from '../../storage/actor.ts';
import type { Reader } from '../../storage/port.ts';

/** Fewer wrong passwords than these may be somebody's own mistakes in another browser. */
const WORTH_A_NOTICE = 5;

/** Who is signed in where. The account is the actor's, or another one of theirs. */
export async function sessionValue(
  reader: Reader,
  deps: HandlerDeps,
  actor: Actor,
  account_id = actor.account_id,
): Promise<z.input<typeof Session>> {
  const accounts = await reader.team.accountsOf(actor.user_id);
  const account = accounts.find((candidate) => candidate.account_id === account_id);
  const member = await reader.team.member(account_id, actor.user_id);
  if (account === undefined || member === undefined) throw new Refusal('not_found');
  const isOwned = await reader.team.hasOwner(account_id);
  const tried =
    deps.home === 'hosted' ? await reader.team.triedPasswords(actor.user_id) : undefined;
  const { read_only } = deps.store.health();
  const formerly =
    deps.home === 'hosted'
      ? []
      : (await reader.uplink.formerly()).filter((user) => user !== actor.user_id);
  return {
    account: { account_id, name: account.name, ...(!isOwned && { without_owner: true as const }) },
    user: {
      user_id: actor.user_id,
      name: actor.user_name,
      email: member.email,
      role: isOwned ? member.role : 'viewer',
      ...(formerly.length > 0 && { formerly }),
    },
    accounts: accounts.map(({ account_id: id, name, role }) => ({ account_id: id, name, role })),
    ...(tried !== undefined &&
      tried.wrong + tried.refused >= WORTH_A_NOTICE && { tried_passwords: tried }),
    sign_in: deps.home === 'hosted' ? 'password' : deps.home === 'local' ? 'link' : 'none',
    home: deps.home,
    server: {
      operator_only: deps.operatorOnly,
      version: deps.version,
      url: deps.url,
      instance_id: deps.instanceId,
      store: deps.store.storeId,
      read_only: read_only !== null,
      read_only_reason: read_only,
      backups: read_only === null ? [] : deps.backups(),
    },
  };
}
