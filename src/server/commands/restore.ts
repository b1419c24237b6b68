import { existsSync } from 'node:fs';
import path from 'node:path';
import { dataFolder, lockFolder, prepareFolder } from '../instance/data-folder.ts';
import { restoreBackup } from '../instance/restore.ts';
import { type CliCommand, text, UsageError } from './command.ts';

export const restore: CliCommand = {
  name: 'restore',
  summary: 'Put a backup in the place of the database, which is kept in the folder set-aside',
  arguments: ['FILE'],
  options: {},
  help: {},
  async run({ values, positionals, print }) {
    const file = path.resolve(positionals[0] ?? '');
    if (!existsSync(file)) throw new UsageError(`There is no file ${file}.`);
    const folder = dataFolder(text(values.data));
    prepareFolder(folder);
    const lock = lockFolder(folder);
    try {
      const aside = restoreBackup(folder, file, Date.now());
      print(`Restored from ${file}. What stood there before is in ${aside}.`, {
        file,
        set_aside: aside,
      });
      return 0;
    } finally {
      lock.release();
    }
  },
};
