import type { AccountId, UserId } from '../../shared/contract/ids.ts';
import { Email, PersonName, TeamName } from '../../shared/contract/v1/team.ts';
import type { z } from 'zod';
import { operatorOrigin } from '../audit/entries.ts';
import { invite, PASSWORD_LINK_LIFE } from '../auth/invite.ts';
import { type Data, openData } from '../open-data.ts';
import { readConfig } from '../config/config.ts';
import { dataFolder } from '../instance/data-folder.ts';
import { type CliCommand, CommandError, text, UsageError } from './command.ts';
import { findPerson, NAMED, WHO } from './person.ts';
import { runningServer } from './running.ts';
import { EVERY_ACCOUNT } from '../storage/db/session.ts';
import type { Writer } from '../storage/repositories.ts';

function parse<S extends z.ZodType>(
  option: string,
  schema: S,
  value: string | boolean | undefined,
): z.output<S> {
  const { success, data, error } = schema.safeParse(text(value));
  if (!success) throw new UsageError(`--${option} cannot be used: ${error.issues[0]?.message}`);
  return data;
}

/** The address that links lead to: the hosted server's, as its users see it. */
async function publicAddress(asked: string | undefined): Promise<string> {
  const config = readConfig(process.env);
  if (config.publicUrl !== undefined) return config.publicUrl.origin;
  const running = await runningServer(dataFolder(asked ?? config.dataFolder));
  if (running?.url.startsWith('https:')) return running.url;
  throw new CommandError(
    'This is for a hosted server: set EVIDENCE_STUDIO_PUBLIC_URL to the address that its users see.',
  );
}

async function passwordLink(
  writer: Writer,
  data: Data,
  url: string,
  person: { account_id: AccountId; user_id: UserId },
): Promise<string> {
  const expires_at = new Date(data.clock.now() + PASSWORD_LINK_LIFE).toISOString();
  return (
    await invite(writer, data, url, {
      ...person,
      role: 'owner',
      name: null,
      created_by: null,
      expires_at,
    })
  ).url;
}

export const adminCreate: CliCommand = {
  name: 'admin create',
  summary:
    "Make an owner of a hosted server's first team, or of a new one, and print the link to choose a password",
  arguments: [],
  options: { email: { type: 'string' }, name: { type: 'string' }, team: { type: 'string' } },
  help: {
    email: 'what the owner signs in with',
    name: "the owner's name, as histories show it",
    team: 'a new team of this name (default: the first team; where the server is not set up yet, the name of that one)',
  },
  async run({ values, print }) {
    const [email, name] = [
      parse('email', Email, values.email),
      parse('name', PersonName, values.name),
    ];
    const team = parse('team', TeamName.optional(), values.team);
    const url = await publicAddress(text(values.data));
    await using data = await openData(text(values.data));
    const link = await data.store.transact(async (writer) => {
      writer.audit.by(operatorOrigin(data.store));
      const { local } = data.store;
      if (await writer.setupWrites.mark()) {
        await writer.setupWrites.nameFirst({ team: team ?? 'Team', name, email });
        writer.audit.add({
          action: 'setup.done',
          object: local.account_id,
          detail: { team: team ?? 'Team', name },
        });
        return passwordLink(writer, data, url, local);
      }
      const user_id = await writer.teamWrites.createPerson({ name, email });
      const account_id =
        team === undefined
          ? local.account_id
          : (await writer.teamWrites.createAccount(team, user_id)).account_id;
      if (team === undefined) await writer.teamWrites.add(account_id, user_id, 'owner');
      writer.audit.add({
        action: 'user.created',
        object: user_id,
        detail: { name, role: 'owner' },
        account_id,
      });
      return passwordLink(writer, data, url, { account_id, user_id });
    }, EVERY_ACCOUNT);
    print(`${link}\nOpen it within an hour to choose the password. It works once.`, { url: link });
    return 0;
  },
};

export const adminResetPassword: CliCommand = {
  name: 'admin reset-password',
  summary:
    "Take a person's password away, sign them out everywhere, and print the link to choose another",
  arguments: [],
  options: { ...NAMED, 'end-keys': { type: 'boolean' } },
  help: { ...WHO, 'end-keys': 'revoke every API key of the person too' },
  async run({ values, print }) {
    const url = await publicAddress(text(values.data));
    await using data = await openData(text(values.data));
    const link = await data.store.transact(async (writer) => {
      const person = await findPerson(writer, values);
      const account = (await writer.team.accountsOf(person.user_id))[0];
      if (account === undefined || person.email === null)
        throw new CommandError(
          'Nobody in a team of this server signs in with this e-mail address.',
        );
      if (person.disabled_at !== null)
        throw new CommandError(
          "This person's access has been ended; give it back first: evidence-studio admin enable.",
        );
      await writer.teamWrites.clearPassword(person.user_id);
      await writer.sessionWrites.end(person.user_id, { but: null });
      writer.audit.by({ ...operatorOrigin(data.store), account_id: account.account_id });
      writer.audit.add({ action: 'password.reset', object: person.user_id });
      const ended =
        values['end-keys'] === true ? await writer.teamWrites.endKeys(person.user_id) : [];
      for (const { key_id, name, account_id } of ended)
        writer.audit.add({
          action: 'key.revoked',
          object: key_id,
          detail: { name, by: 'reset-password' },
          account_id,
        });
      return {
        url: await passwordLink(writer, data, url, {
          account_id: account.account_id,
          user_id: person.user_id,
        }),
        keys_ended: ended.length,
      };
    }, EVERY_ACCOUNT);
    print(
      `${link.url}\nOpen it within an hour to choose the password. It works once. The previous password does not work any more.`,
      values['end-keys'] === true ? link : { url: link.url },
    );
    return 0;
  },
};
