import { once } from 'node:events';
import { operatorOrigin } from '../audit/entries.ts';
import { exportTrail } from '../audit/audit-export.ts';
import { openData } from '../open-data.ts';
import { SERVER_TRAIL } from '../storage/audit/audit.ts';
import { type CliCommand, CommandError, text } from './command.ts';
import { EVERY_ACCOUNT } from '../storage/db/session.ts';

const OF_THE_SERVER = 'server';

export const audit: CliCommand = {
  name: 'audit',
  summary: 'Print the audit trail of an account, as CSV or as JSON',
  arguments: [],
  options: { account: { type: 'string' } },
  help: {
    account: `the account's identifier, or ${OF_THE_SERVER} for what belongs to none (default: the account of this computer)`,
  },
  async run({ values }) {
    await using data = await openData(text(values.data));
    const { store, clock } = data;
    const asked = text(values.account) ?? store.local.account_id;
    const known = await store.read((reader) => reader.auditTrail.accounts(), EVERY_ACCOUNT);
    const name = asked === OF_THE_SERVER ? SERVER_TRAIL : asked;
    const account_id = known.find((account) => account.account_id === name)?.account_id;
    if (account_id === undefined)
      throw new CommandError(
        `There is no account ${asked}. There is ${[...known.flatMap((account) => account.account_id || []), OF_THE_SERVER].join(', ')}.`,
      );
    const { pieces } = await exportTrail({
      store,
      by: { ...operatorOrigin(store), account_id },
      now: clock.now(),
      format: values.json === true ? 'json' : 'csv',
    });
    for await (const piece of pieces)
      if (!process.stdout.write(piece)) await once(process.stdout, 'drain');
    return 0;
  },
};
