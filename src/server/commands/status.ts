import { readConfig } from '../config/config.ts';
import { openData } from '../open-data.ts';
import { EVERY_ACCOUNT } from '../storage/db/session.ts';
import { dataFolder } from '../instance/data-folder.ts';
import { type CliCommand, text } from './command.ts';
import type { UplinkStatus } from '../../shared/contract/v1/uplink.ts';
import { upstreamStatus, upstreamWords } from './upstream.ts';
import { runningServer } from './running.ts';

export const status: CliCommand = {
  name: 'status',
  summary:
    'Show the address of the running server and its sync status; exit code 1 where none runs',
  arguments: [],
  options: {},
  help: {},
  async run({ values, print }) {
    const folder = dataFolder(text(values.data));
    const found = await runningServer(folder);
    const upstream = await upstreamStatus(folder, found?.url);
    const blobs = await blobCounts(folder);
    const words =
      (upstream === undefined ? '' : `\n${upstreamWords(upstream)}`) +
      (blobs === undefined
        ? ''
        : `\nBlobs: ${blobs.outside} in ${blobs.place}, ${blobs.database} in the database.`);
    const stated = {
      data: folder,
      exchange: upstream === undefined ? null : factsOf(upstream),
      ...(blobs && { blobs }),
    };
    if (found === undefined) {
      print(`No server runs on ${folder}.${words}`, { running: false, ...stated });
      return 1;
    }
    print(
      `Evidence Studio runs at ${found.url} (process ${found.pid}, since ${found.started_at}) on ${folder}.${words}`,
      { running: true, ...stated, ...found },
    );
    return 0;
  },
};

/** How far blobs are moved, where they are kept outside of the database. */
async function blobCounts(
  folder: string,
): Promise<{ place: string; database: number; outside: number } | undefined> {
  if (readConfig(process.env).blobs === undefined) return undefined;
  await using data = await openData(folder);
  return await data.store.read(async (reader) => {
    const { configured } = await reader.runs.blobPlaces();
    return { place: configured ?? '', ...(await reader.runs.countBlobs()) };
  }, EVERY_ACCOUNT);
}

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
