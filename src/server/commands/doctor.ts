import { existsSync } from 'node:fs';
import { type DoctorReport, FINDINGS } from '../../shared/contract/doctor.ts';
import { sayFrom } from '../../shared/lib/say.ts';
import { readConfig } from '../config/config.ts';
import { DEFAULT_PORT } from '../config/environment.ts';
import { examine, type Examined } from '../doctor/examine.ts';
import { dataFolder, databaseFile } from '../instance/data-folder.ts';
import { readDiscovery } from '../instance/discovery.ts';
import { nodeFetch } from '../network/node-fetch.ts';
import { type Data, openData } from '../open-data.ts';
import { packageVersion } from '../package-version.ts';
import { type CliCommand, text } from './command.ts';
import { runningServer } from './running.ts';
import { upstreamStatus } from './upstream.ts';

const MARKS = { ok: '✓', note: '·', problem: '✗' } as const;
const say = sayFrom({});

export function reportWords({
  version,
  runtime,
  system,
  sqlite,
  findings,
  ok,
}: DoctorReport): string {
  const problems = findings.filter(({ state }) => state === 'problem').length;
  return [
    `Evidence Studio ${version}, ${runtime}, SQLite ${sqlite}, ${system}`,
    ...findings.map(({ code, state, values }) => `${MARKS[state]} ${say(FINDINGS[code], values)}`),
    ok ? 'Nothing is wrong.' : `To be looked at: ${problems}.`,
  ].join('\n');
}

async function openedData(folder: string): Promise<Data | { failed: unknown }> {
  try {
    return await openData(folder);
  } catch (failed) {
    return { failed };
  }
}

export const doctor: CliCommand = {
  name: 'doctor',
  summary:
    'Look at everything the studio depends on, and say what is wrong; --json is a report without evidence, names or keys',
  arguments: [],
  options: {},
  help: {},
  async run({ values, print }) {
    const config = readConfig(process.env);
    const folder = dataFolder(text(values.data) ?? config.dataFolder);
    const stated = readDiscovery(folder);
    const running = await runningServer(folder);
    const isThere = config.databaseUrl !== undefined || existsSync(databaseFile(folder));
    const data = isThere ? await openedData(folder) : undefined;
    const isOpen = data !== undefined && 'store' in data;
    try {
      const examined: Examined = {
        folder,
        version: packageVersion(),
        store: isOpen ? data.store : data,
        secretProblem: isOpen ? data.secretProblem : null,
        server: stated && { url: stated.url, answers: running !== undefined },
        port: config.port ?? DEFAULT_PORT,
        uplink: isOpen ? await upstreamStatus(folder, running?.url) : undefined,
        env: process.env,
        fetch: nodeFetch,
        now: () => Date.now(),
      };
      const report = await examine(examined);
      print(reportWords(report), report);
      return report.ok ? 0 : 1;
    } finally {
      if (isOpen) await data[Symbol.asyncDispose]();
    }
  },
};
