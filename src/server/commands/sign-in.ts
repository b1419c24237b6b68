import { createSignInLink } from '../auth/sign-in.ts';
import { openData } from '../compose.ts';
import { readDiscovery } from '../discovery.ts';
import { type Command, CommandError, text } from './command.ts';

export const signIn: Command = {
  name: 'sign-in',
  summary: 'Print a one-time link that opens the studio of the running server in a browser',
  arguments: [],
  options: {},
  help: {},
  async run({ values, print }) {
    await using data = await openData(text(values.data));
    const running = readDiscovery(data.folder);
    if (running === undefined) throw new CommandError(`No server runs on ${data.folder}; start one with evidence-studio serve.`);
    const url = await createSignInLink(data, running.url);
    print(url, { url });
    return 0;
  },
};
