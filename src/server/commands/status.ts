import { dataFolder } from '../data-folder.ts';
import { type Command, text } from './command.ts';
import { runningServer } from './running.ts';

export const status: Command = {
  name: 'status',
  summary: 'Tell where the running server is; exit code 1 where none runs',
  arguments: [],
  options: {},
  help: {},
  async run({ values, print }) {
    const folder = dataFolder(text(values.data));
    const found = await runningServer(folder);
    if (found === undefined) {
      print(`No server runs on ${folder}.`, { running: false, data: folder });
      return 1;
    }
    print(`Evidence Studio runs at ${found.url} (process ${found.pid}, since ${found.started_at}) on ${folder}.`, { running: true, data: folder, ...found });
    return 0;
  },
};
