import { existsSync } from 'node:fs';
import path from 'node:path';
import { operatorOrigin } from '../audit/entries.ts';
import { openData } from '../open-data.ts';
import { noteBackup } from '../instance/backup-schedule.ts';
import { type CliCommand, CommandError, text } from './command.ts';

export const backup: CliCommand = {
  name: 'backup',
  summary: 'Write a checked copy of the database, also while the server runs',
  arguments: ['FILE'],
  options: {},
  help: {},
  async run({ values, positionals, print }) {
    const file = path.resolve(positionals[0] ?? '');
    if (existsSync(file)) throw new CommandError(`${file} exists; a backup overwrites nothing.`);
    await using data = await openData(text(values.data));
    if (data.store.engine !== 'sqlite')
      throw new CommandError("This data is in PostgreSQL: back it up with PostgreSQL's own tools.");
    await data.store.backup(file);
    if (data.store.health().ok) await noteBackup(data.store, operatorOrigin(data.store), file);
    print(`Backup written to ${file}.`, { file });
    return 0;
  },
};
