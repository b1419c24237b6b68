import { createSignInLink } from '../auth/sign-in.ts';
import { openData } from '../compose.ts';
import { dataFolder } from '../data-folder.ts';
import { type Command, CommandError, text } from './command.ts';
import { runningServer } from './running.ts';

export const signIn: Command = {
  name: 'sign-in',
  summary: 'Print a one-time link that opens the studio of the running server in a browser',
  arguments: [],
  options: {},
  help: {},
  async run({ values, print }) {
    const folder = dataFolder(text(values.data));
    const running = await runningServer(folder);
    if (running === undefined) throw new CommandError(`No server runs on ${folder}; start one with evidence-studio serve.`);
    await using data = await openData(folder);
    const url = await createSignInLink(data, running.url);
    print(url, { url });
    return 0;
  },
};
