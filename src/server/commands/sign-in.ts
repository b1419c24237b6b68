import { operatorOrigin } from '../audit/entries.ts';
import { createSignInLink } from '../auth/sign-in.ts';
import { openData } from '../open-data.ts';
import { dataFolder } from '../instance/data-folder.ts';
import { type CliCommand, CommandError, text, UsageError } from './command.ts';
import { ensureUser, UserName } from './key.ts';
import { provenServer } from './running.ts';

export const signIn: CliCommand = {
  name: 'sign-in',
  summary: 'Print a one-time link that opens the studio of the running server in a browser',
  arguments: [],
  options: { user: { type: 'string' } },
  help: {
    user: 'who signs in, by name; made where there is none (default: the person of this computer)',
  },
  async run({ values, print }) {
    const folder = dataFolder(text(values.data));
    const running = await provenServer(folder);
    if (running === undefined)
      throw new CommandError(`No server runs on ${folder}; start one with evidence-studio serve.`);
    await using data = await openData(folder);
    const { account_id } = data.store.local;
    const name = text(values.user);
    const user = name === undefined ? undefined : UserName.safeParse(name);
    if (user?.success === false)
      throw new UsageError(`--user cannot be used: ${user.error.issues[0]?.message}`);
    const found =
      user === undefined
        ? undefined
        : await data.store.transact((writer) => {
            writer.audit.by(operatorOrigin(data.store));
            return ensureUser(writer, account_id, user.data, undefined);
          }, account_id);
    const url = await createSignInLink(data, running.url, found?.user_id);
    print(url, { url });
    return 0;
  },
};
