import { readDiscovery } from '../discovery.ts';
import { dataFolder } from '../data-folder.ts';
import { type Command, text } from './command.ts';

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

export const status: Command = {
  name: 'status',
  summary: 'Where the running server is',
  arguments: [],
  options: {},
  help: {},
  async run({ values, print }) {
    const folder = dataFolder(text(values.data));
    const found = readDiscovery(folder);
    if (found === undefined || !isRunning(found.pid)) {
      print(`No server runs on ${folder}.`, { running: false, data: folder });
      return 1;
    }
    print(`Evidence Studio runs at ${found.url} (process ${found.pid}, since ${found.started_at}) on ${folder}.`, { running: true, data: folder, ...found });
    return 0;
  },
};
