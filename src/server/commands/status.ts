import { dataFolder } from '../instance/data-folder.ts';
import { type Command, text } from './command.ts';
import type { UplinkStatus } from '../../shared/contract/v1/uplink.ts';
import { exchangeStatus, exchangeWords } from './exchange.ts';
import { runningServer } from './running.ts';

export const status: Command = {
  name: 'status',
  summary:
    'Tell where the running server is and how the exchange with a hosted server stands; exit code 1 where none runs',
  arguments: [],
  options: {},
  help: {},
  async run({ values, print }) {
    const folder = dataFolder(text(values.data));
    const found = await runningServer(folder);
    const exchange = await exchangeStatus(folder, found?.url);
    const words = exchange === undefined ? '' : `\n${exchangeWords(exchange)}`;
    const told = { data: folder, exchange: exchange === undefined ? null : factsOf(exchange) };
    if (found === undefined) {
      print(`No server runs on ${folder}.${words}`, { running: false, ...told });
      return 1;
    }
    print(
      `Evidence Studio runs at ${found.url} (process ${found.pid}, since ${found.started_at}) on ${folder}.${words}`,
      { running: true, ...told, ...found },
    );
    return 0;
  },
};

function factsOf({
  connection,
  state,
  problem,
  warning,
  next_try_at,
  last_ok,
  totals,
}: UplinkStatus) {
  return { url: connection?.url ?? null, state, problem, warning, next_try_at, last_ok, ...totals };
}
