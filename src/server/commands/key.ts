import { SERVER_TRAIL } from '../storage/audit/audit.ts';
import { type AccountId, type UserId, known } from '../../shared/contract/ids.ts';
import type { z } from 'zod';
import { text as textOf } from '../../shared/contract/common.ts';
import { KeyInput, Role } from '../../shared/contract/v1/account.ts';
import { operatorOrigin } from '../audit/entries.ts';
import { keyMac, mintKey } from '../auth/keys.ts';
import { shardOf } from '../auth/shard.ts';
import { openData } from '../open-data.ts';
import { claimSecret } from '../instance/secret-mark.ts';
import { type CliCommand, CommandError, text, UsageError } from './command.ts';
import { EVERY_ACCOUNT } from '../storage/db/session.ts';
import type { Writer } from '../storage/repositories.ts';

const DAY = 86_400_000;
const OTHER =
  'The keys of this database are made under another secret than this command has, ' +
  'so the key would never work: set EVIDENCE_STUDIO_SECRET_FILE as the server does, ' +
  'or use its data folder. Where that secret is lost: evidence-studio key new-secret.';
export const UserName = textOf(100, 1);

function parseInput(
  values: Record<string, string | boolean | undefined>,
): z.infer<typeof KeyInput> {
  const [name, scopes, days, projects] = [
    text(values.name),
    text(values.scopes) ?? 'suggest',
    text(values.expires),
    text(values.project),
  ];
  if (name === undefined)
    throw new UsageError('Give the key a name that says what it is for: --name NAME.');
  const parsed = KeyInput.safeParse({
    name,
    scopes: scopes.split(',').map((scope) => scope.trim()),
    ...(days === undefined
      ? {}
      : { expires_days: /^\d{1,5}$/.test(days) ? Number(days) : Number.NaN }),
    ...(projects !== undefined && {
      projects: projects.split(',').map((project) => project.trim()),
    }),
  });
  if (parsed.success) return parsed.data;
  const field = parsed.error.issues[0]?.path[0];
  if (field === 'scopes')
    throw new UsageError(
      '--scopes takes read, suggest, write and delete, with commas between them. ' +
        'A studio\'s key is made by "Connect a studio" on the account page.',
    );
  if (field === 'projects')
    throw new UsageError(
      '--project takes project ids (prj_ and 26 letters and digits), with commas between them.',
    );
  if (field === 'expires_days')
    throw new UsageError('--expires takes a whole number of days, from 1 to 3650.');
  throw new UsageError(`--name cannot be used: ${parsed.error.issues[0]?.message}`);
}

function parseUser(
  values: Record<string, string | boolean | undefined>,
): { name: string; role: Role | undefined } | undefined {
  const [name, role] = [text(values.user), text(values.role)];
  if (name === undefined && role !== undefined)
    throw new UsageError('--role needs --user NAME: it is a user who has a role.');
  if (name === undefined) return undefined;
  const user = UserName.safeParse(name);
  if (!user.success)
    throw new UsageError(`--user cannot be used: ${user.error.issues[0]?.message}`);
  const given = Role.optional().safeParse(role);
  if (!given.success) throw new UsageError('--role takes owner, member or viewer.');
  return { name: user.data, role: given.data };
}

/**
 * Finds the user of this name, or makes one; sets the role where one is given, and notes what is
 * new in the audit trail.
 */
export async function ensureUser(
  writer: Writer,
  account: AccountId,
  name: string,
  role: Role | undefined,
): Promise<{ user_id: UserId }> {
  const user = await writer.userWrites.ensure(account, name, role);
  if (user.created)
    writer.audit.add({
      action: 'user.created',
      object: user.user_id,
      detail: { name: user.name, role: user.role },
    });
  else if (user.previous !== user.role)
    writer.audit.add({
      action: 'member.role_changed',
      object: user.user_id,
      detail: { name: user.name, from: user.previous, to: user.role },
    });
  return user;
}

export const keyCreate: CliCommand = {
  name: 'key create',
  summary: 'Create an API key; it is printed once and never again',
  arguments: [],
  options: {
    name: { type: 'string' },
    scopes: { type: 'string' },
    project: { type: 'string' },
    expires: { type: 'string' },
    user: { type: 'string' },
    role: { type: 'string' },
  },
  help: {
    name: 'what the key is for, shown in histories',
    scopes:
      'read, suggest, write, delete, with commas between them (default suggest, which reads too)',
    project: 'limits the key to these projects, by project_id, with commas between them',
    expires: 'days until it expires (default: never)',
    user: 'whose key it is, by name; made where there is none (default: the person of this computer)',
    role: 'what that user may do: owner, member or viewer (default member)',
  },
  async run({ values, print }) {
    const input = parseInput(values);
    const user = parseUser(values);
    await using data = await openData(text(values.data));
    if (!(await claimSecret(data.store, data.hmacSecret, { replace: false })))
      throw new CommandError(OTHER);
    const { account_id, user_id: local } = data.store.local;
    const minted = mintKey(data.random, shardOf(data.hmacSecret, account_id));
    const expires_at =
      typeof input.expires_days === 'number'
        ? new Date(data.clock.now() + input.expires_days * DAY).toISOString()
        : null;
    const { user_id } = await data.store.transact(async (writer) => {
      writer.audit.by(operatorOrigin(data.store));
      const { user_id } =
        user === undefined
          ? { user_id: local }
          : await ensureUser(writer, account_id, user.name, user.role);
      await writer.keyWrites.create({
        account_id,
        user_id,
        key_id: minted.key_id,
        name: input.name,
        prefix: minted.prefix,
        scopes: [...new Set(input.scopes)],
        projects: input.projects ?? null,
        expires_at,
        mac: keyMac(minted.key, data.hmacSecret),
      });
      writer.audit.add({
        action: 'key.created',
        object: minted.key_id,
        detail: {
          name: input.name,
          scopes: input.scopes,
          expires_at,
          user_id,
          ...(input.projects && { projects: input.projects }),
        },
      });
      return { user_id };
    }, account_id);
    print(
      `${minted.key}\nCopy it now: it is not shown again. Its identifier is ${minted.key_id}.`,
      { key_id: minted.key_id, key: minted.key, ...(user && { user_id }) },
    );
    return 0;
  },
};

export const keyNewSecret: CliCommand = {
  name: 'key new-secret',
  summary:
    'Make keys under the secret that this command has, where the previous one is lost; keys made before stop working',
  arguments: [],
  options: {},
  help: {},
  async run({ values, print }) {
    await using data = await openData(text(values.data));
    const { account_id } = data.store.local;
    await claimSecret(data.store, data.hmacSecret, { replace: true });
    await data.store.transact(async (writer) => {
      writer.audit.by(operatorOrigin(data.store));
      writer.audit.add({ action: 'key.secret_changed', object: null });
    }, account_id);
    print(
      'Keys are made under this secret from now on. Give it to every instance; keys that were made before no longer work.',
      { changed: true },
    );
    return 0;
  },
};

export const keyList: CliCommand = {
  name: 'key list',
  summary: 'List the API keys, without the keys themselves',
  arguments: [],
  options: { all: { type: 'boolean' } },
  help: { all: 'those of every account of this server, each with its account' },
  async run({ values, print }) {
    await using data = await openData(text(values.data));
    const { account_id } = data.store.local;
    const ofAll = values.all === true;
    const accounts = ofAll
      ? (await data.store.read((reader) => reader.auditTrail.accounts(), EVERY_ACCOUNT)).flatMap(
          ({ account_id: id, name }) => (id === SERVER_TRAIL ? [] : { account_id: id, name }),
        )
      : [{ account_id, name: '' }];
    const keys = (
      await Promise.all(
        accounts.map(async (account) =>
          (
            await data.store.read(
              (reader) => reader.keys.list(account.account_id),
              account.account_id,
            )
          ).map((key) => ({ ...key, ...(ofAll && { account }) })),
        ),
      )
    ).flat();
    const lines = keys.map((key) =>
      [
        key.key_id,
        ...(ofAll ? [`${key.account?.name} (${key.account?.account_id})`, key.user.name] : []),
        key.scopes.join(',') + (key.projects === null ? '' : ` in ${key.projects.join(',')}`),
        key.revoked_at !== null
          ? 'revoked'
          : key.expires_at === null
            ? 'no expiry'
            : `until ${key.expires_at.slice(0, 10)}`,
        key.last_used_at === null ? 'never used' : `used ${key.last_used_at.slice(0, 10)}`,
        key.name,
      ].join('  '),
    );
    print(lines.length === 0 ? 'There are no keys.' : lines.join('\n'), { data: keys });
    return 0;
  },
};

export const keyRevoke: CliCommand = {
  name: 'key revoke',
  summary: 'Revoke an API key, whosever account it is of, with effect on its next request',
  arguments: ['KEY_ID'],
  options: {},
  help: {},
  async run({ values, positionals, print }) {
    await using data = await openData(text(values.data));
    const keyId = known.keyId.parse(positionals[0] ?? '');
    const revoked = await data.store.transact(async (writer) => {
      const stored = await writer.keys.byId(keyId);
      const key = stored && (await writer.keyWrites.revoke(stored.account_id, keyId));
      writer.audit.by(operatorOrigin(data.store));
      if (key !== undefined && stored?.revoked_at === null)
        writer.audit.add({
          action: 'key.revoked',
          object: key.key_id,
          detail: { name: key.name },
          account_id: stored.account_id,
        });
      return key;
    }, EVERY_ACCOUNT);
    if (revoked === undefined)
      throw new CommandError('There is no key with this identifier; see evidence-studio key list.');
    print(`The key ${revoked.key_id} (${revoked.name}) is revoked.`, revoked);
    return 0;
  },
};
