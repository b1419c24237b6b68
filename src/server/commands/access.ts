import type { AuditDetail } from '../../shared/contract/audit-details.ts';
import { SERVER_TRAIL } from '../storage/audit/audit.ts';
import { ProfileUid, ProfileVersion } from '../../shared/domain/uid.ts';
import { AccountId, type UserId } from '../../shared/contract/ids.ts';
import { operatorOrigin } from '../audit/entries.ts';
import { type Data, openData } from '../open-data.ts';
import { EVERY_ACCOUNT } from '../storage/db/session.ts';
import type { Writer } from '../storage/repositories.ts';
import type { ListedPerson } from '../storage/accounts/access.ts';
import { type CliCommand, CommandError, text, UsageError } from './command.ts';
import { findPerson, NAMED, WHO } from './person.ts';

const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

function lineOf({
  user_id,
  name,
  email,
  state,
  accounts,
  last_seen_at,
  keys,
}: ListedPerson): string {
  const places = accounts
    .map((account) => `${account.role} in ${account.name} (${account.account_id})`)
    .join(', ');
  return [
    user_id,
    name,
    email ?? 'no e-mail',
    state,
    places === '' ? 'in no account' : places,
    plural(keys, 'key'),
    last_seen_at === null ? 'never seen' : `seen ${last_seen_at.slice(0, 10)}`,
  ].join('  ');
}

export const adminList: CliCommand = {
  name: 'admin list',
  summary:
    'List everybody on this server: name, e-mail, state, roles and accounts, keys in force, last seen',
  arguments: [],
  options: {},
  help: {},
  async run({ values, print }) {
    await using data = await openData(text(values.data));
    const people = await data.store.read((reader) => reader.team.people(), EVERY_ACCOUNT);
    print(people.map(lineOf).join('\n'), { data: people });
    return 0;
  },
};

/**
 * One event in the trail of each account that the person is in; in the server's own where there is
 * none.
 */
function note(
  writer: Writer,
  data: Data,
  action: 'user.disabled' | 'user.enabled',
  { user_id, accounts }: { user_id: UserId; accounts: AccountId[] },
  detail: AuditDetail,
): void {
  writer.audit.by(operatorOrigin(data.store));
  for (const account_id of accounts.length === 0 ? [SERVER_TRAIL] : accounts)
    writer.audit.add({ action, object: user_id, detail, account_id });
}

export const adminDisable: CliCommand = {
  name: 'admin disable',
  summary:
    "End a person's access to this server: sessions and invitations end, keys are refused, nobody signs in with the password",
  arguments: [],
  options: NAMED,
  help: WHO,
  async run({ values, print }) {
    await using data = await openData(text(values.data));
    const ended = await data.store.transact(async (writer) => {
      const person = await findPerson(writer, values);
      if (person.user_id === data.store.local.user_id && !(await writer.team.isSetUp()))
        throw new CommandError(
          'This is the person of this computer, whose access cannot be ended.',
        );
      const changed = await writer.teamWrites.disable(person.user_id);
      if (changed === undefined)
        throw new CommandError('The access of this person has been ended before.');
      const { name, sessions, invitations, keys } = changed;
      note(writer, data, 'user.disabled', changed, { name, sessions, invitations, keys });
      const left = (await writer.team.accountsOf(person.user_id)).filter(
        ({ role }) => role === 'owner',
      );
      const without = [];
      for (const account of left)
        if (!(await writer.team.hasOwner(account.account_id)))
          without.push({ account_id: account.account_id, name: account.name });
      return { ...changed, without_owner: without };
    }, EVERY_ACCOUNT);
    const { name, sessions, invitations, keys, without_owner: without } = ended;
    const lines = [
      `${name} has no access any more: ${plural(sessions, 'session')} and ` +
        `${plural(invitations, 'invitation')} ended, ${plural(keys, 'key')} refused from now ` +
        'on.',
    ];
    for (const account of without)
      lines.push(
        `${account.name} (${account.account_id}) has no other owner: ` +
          'its members read it and change nothing. To give it one: ' +
          `evidence-studio admin owner --account ${account.account_id} --email ADDRESS`,
      );
    print(lines.join('\n'), ended);
    return 0;
  },
};

export const adminEnable: CliCommand = {
  name: 'admin enable',
  summary:
    "Give a person's access back: the password and the keys work again; what ended stays ended",
  arguments: [],
  options: NAMED,
  help: WHO,
  async run({ values, print }) {
    await using data = await openData(text(values.data));
    const changed = await data.store.transact(async (writer) => {
      const enabled = await writer.teamWrites.enable((await findPerson(writer, values)).user_id);
      if (enabled === undefined)
        throw new CommandError('The access of this person has not been ended.');
      note(writer, data, 'user.enabled', enabled, { name: enabled.name });
      return enabled;
    }, EVERY_ACCOUNT);
    print(
      `${changed.name} has access again. Sessions and invitations that ended are not brought back.`,
      changed,
    );
    return 0;
  },
};

export const adminOwner: CliCommand = {
  name: 'admin owner',
  summary:
    'Make somebody of this server an owner of an account, such as one whose owner has no access any more',
  arguments: [],
  options: { account: { type: 'string' }, ...NAMED },
  help: { account: "the account's id, as admin list shows it", ...WHO },
  async run({ values, print }) {
    const account = AccountId.safeParse(text(values.account));
    if (!account.success)
      throw new UsageError('--account takes the id of an account, as admin list shows it.');
    await using data = await openData(text(values.data));
    const account_id = account.data;
    const made = await data.store.transact(async (writer) => {
      const person = await findPerson(writer, values);
      if (person.disabled_at !== null)
        throw new CommandError('The access of this person has been ended.');
      if (!(await writer.auditTrail.accounts()).some((one) => one.account_id === account_id))
        throw new CommandError('There is no account with this id; see evidence-studio admin list.');
      const stored = await writer.team.member(account_id, person.user_id);
      writer.audit.by({ ...operatorOrigin(data.store), account_id });
      if (stored === undefined) {
        await writer.teamWrites.add(account_id, person.user_id, 'owner');
        writer.audit.add({
          action: 'member.joined',
          object: person.user_id,
          detail: { role: 'owner', by: 'operator' },
        });
      } else if (stored.role !== 'owner') {
        await writer.teamWrites.changeRole(account_id, person.user_id, 'owner');
        writer.audit.add({
          action: 'member.role_changed',
          object: person.user_id,
          detail: { from: stored.role, to: 'owner' },
        });
      }
      return { account_id, user_id: person.user_id, name: person.name };
    }, EVERY_ACCOUNT);
    print(`${made.name} is an owner of ${account_id}.`, made);
    return 0;
  },
};

export const adminPublish: CliCommand = {
  name: 'admin publish',
  summary:
    'Show a profile of an account to every account of this server; its name belongs to that account from then on',
  arguments: [],
  options: {
    account: { type: 'string' },
    profile: { type: 'string' },
    'profile-version': { type: 'string' },
  },
  help: {
    account: "the account's id, as admin list shows it",
    profile: "the profile's uid",
    'profile-version': 'which version of it',
  },
  async run({ values, print }) {
    const [account, profile, version] = [
      AccountId.safeParse(text(values.account)),
      ProfileUid.safeParse(text(values.profile)),
      ProfileVersion.safeParse(text(values['profile-version'])),
    ];
    if (!account.success)
      throw new UsageError('--account takes the id of an account, as admin list shows it.');
    if (!profile.success) throw new UsageError('--profile takes the uid of a profile.');
    if (!version.success) throw new UsageError('--profile-version takes a version such as 1.0.');
    const [account_id, uid, of] = [account.data, profile.data, version.data];
    await using data = await openData(text(values.data));
    const done = await data.store.transact(async (writer) => {
      writer.audit.by({ ...operatorOrigin(data.store), account_id });
      const { digest, published } = await writer.profileWrites.publish(account_id, uid, of);
      if (published)
        writer.audit.add({
          action: 'profile.published',
          object: uid,
          detail: { version: of, digest },
        });
      return { profileUid: uid, version: of, digest, published };
    }, EVERY_ACCOUNT);
    print(
      done.published
        ? `Every account of this server sees ${uid} ${of}.`
        : `${uid} ${of} was published before.`,
      done,
    );
    return 0;
  },
};
