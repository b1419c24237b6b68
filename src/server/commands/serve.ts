import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { SERVER_PAGES } from '../../shared/contract/page-addresses.ts';
import { hasPasswords } from '../auth/passwords.ts';
import { createSetupToken } from '../auth/setup-token.ts';
import { createSignInLink } from '../auth/sign-in.ts';
import { listBackups } from '../instance/backups.ts';
import { type Composed, composeServer, type ComposeOptions } from '../compose.ts';
import { DEFAULT_PORT } from '../config/environment.ts';
import { type Config, readConfig } from '../config/config.ts';
import { dataFolder } from '../instance/data-folder.ts';
import { NO_PROXIES } from '../http/proxy-notice.ts';
import { listenForMetrics, type MetricsListener } from '../metrics/listener.ts';
import { builtRenderer } from '../renderer-root.ts';
import { createEvidenceServer, type EvidenceServer } from '../server.ts';
import { SQLITE, sqliteCode, StoreOpenError } from '../storage/db/errors.ts';
import { type CliCommand, CommandError, text, UsageError } from './command.ts';

/** Hands a link to the desktop's own browser, where there is a desktop. */
function openInBrowser(url: string): void {
  const hasDesktop =
    process.platform !== 'linux' || Boolean(process.env.DISPLAY ?? process.env.WAYLAND_DISPLAY);
  if (!hasDesktop) return;
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '', url]
        : ['xdg-open', url];
  spawn(command ?? '', args, { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}

/** A sentence on how to restore the newest backup; nothing where there is none. */
function wayBack(folder: string): string {
  const [newest] = listBackups(folder);
  return newest === undefined
    ? ''
    : ` The newest backup is put in its place by: evidence-studio restore ${newest}`;
}

async function compose(options: ComposeOptions & { folder: string }): Promise<Composed> {
  try {
    return await composeServer(options);
  } catch (error) {
    if (error instanceof StoreOpenError && error.code === 'not_a_database')
      throw new CommandError(error.message + wayBack(options.folder), { cause: error });
    const code = sqliteCode(error);
    if (code === SQLITE.NOTADB || code === SQLITE.CORRUPT)
      throw new CommandError(
        `The database file is damaged beyond reading. It was left as it is.${wayBack(options.folder)}`,
        { cause: error },
      );
    throw error;
  }
}

type ServeValues = Parameters<CliCommand['run']>[0]['values'];
type Print = Parameters<CliCommand['run']>[0]['print'];

/** The configuration of the environment, with what the command line says in its place. */
/** How this very program is started again: an executable by itself, else Node with its file. */
function runningProgram(): string[] {
  const [program = process.execPath, file] = process.argv;
  return file === undefined || file === process.execPath ? [process.execPath] : [program, file];
}

function configOf(values: ServeValues): Config {
  const [port, host, database] = [
    text(values.port),
    text(values.host),
    text(values['database-url']),
  ];
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535))
    throw new UsageError('--port takes a number from 0 to 65535.');
  if (database !== undefined && !/^postgres(?:ql)?:\/\//.test(database))
    throw new UsageError('--database-url takes a postgres:// address.');
  return readConfig({
    ...process.env,
    ...(port === undefined ? {} : { EVIDENCE_STUDIO_PORT: port }),
    ...(host === undefined ? {} : { EVIDENCE_STUDIO_HOST: host }),
    ...(database === undefined ? {} : { DATABASE_URL: database }),
  });
}

interface Serving {
  config: Config;
  composed: Composed;
  server: EvidenceServer;
}
const isHosted = ({ publicUrl }: Config): boolean => publicUrl !== undefined;

async function serveMetrics(
  { config, composed, server }: Serving,
  print: Print,
): Promise<MetricsListener | undefined> {
  if (config.metrics === undefined) return undefined;
  const metrics = await listenForMetrics({
    ...config.metrics,
    text: composed.deps.metrics.text,
    readiness: server.readiness,
  });
  print(`figures at ${metrics.url}/metrics`, { metrics: `${metrics.url}/metrics` });
  return metrics;
}

/** What whoever runs the server should know of how it started. */
function warn({ config, composed, server }: Serving): void {
  const { folder, store, secretProblem } = composed;
  if (server.moved !== undefined)
    console.error(`Port ${server.moved.from} is taken: using ${server.moved.to}.`);
  const readOnly = store.health().read_only;
  if (readOnly !== null)
    console.error(`Read-only: ${readOnly}${readOnly.includes('damaged') ? wayBack(folder) : ''}`);
  if (secretProblem !== null) console.error(secretProblem);
  if (isHosted(config) && store.unguarded)
    console.error(
      'The role of DATABASE_URL passes by row-level security: use one that is neither a superuser nor has BYPASSRLS.',
    );
  if (config.publicUrl?.protocol === 'https:' && config.trustedProxies.length === 0)
    console.error(NO_PROXIES);
}

/** Prints where the server is, and how to come in. */
async function welcome(
  { config, composed: { deps, folder, store }, server }: Serving,
  { print, open }: { print: Print; open: boolean },
): Promise<void> {
  const { url, port } = server;
  const isWritable = store.health().read_only === null;
  const setup = isHosted(config) && isWritable ? await createSetupToken(deps) : undefined;
  if (setup !== undefined)
    console.error(
      `Nobody owns this server yet. Open ${url}${SERVER_PAGES.setup} within an hour, and give this token there: ${setup}`,
    );
  print(`listening on ${url}`, { url, port, data: folder });
  if (isHosted(config) || !isWritable) return;
  const link = await createSignInLink(deps, url);
  print(`sign in once, within ten minutes: ${link}`, { sign_in: link });
  if (open) openInBrowser(link);
}

export const serve: CliCommand = {
  name: 'serve',
  summary: 'Run the server until SIGINT or SIGTERM',
  arguments: [],
  options: {
    port: { type: 'string' },
    host: { type: 'string' },
    'database-url': { type: 'string' },
    open: { type: 'boolean' },
  },
  help: {
    port: `the port to listen on; 0 picks a free one (default ${DEFAULT_PORT}, or a free one where that is taken)`,
    host: 'the address to listen on (default 127.0.0.1)',
    'database-url': 'keep the data in this PostgreSQL instead of SQLite (default: DATABASE_URL)',
    open: 'open the studio in a browser',
  },
  async run({ values, print, signal }) {
    const config = configOf(values);
    const hosted = isHosted(config);
    if (hosted && !hasPasswords())
      throw new CommandError(
        'This Node was built without argon2, which keeps passwords: use one from nodejs.org.',
      );
    const folder = dataFolder(text(values.data) ?? config.dataFolder);
    const composed = await compose({
      folder,
      dataDir: folder,
      home: hosted ? 'hosted' : 'local',
      rendererRoot: builtRenderer(),
      program: runningProgram(),
      config,
    });
    try {
      const server = await createEvidenceServer(composed.deps, {
        ...composed.listen,
        ...(config.publicUrl === undefined ? {} : { publicUrl: config.publicUrl }),
        validateAnswers: config.validateAnswers,
      });
      const serving = { config, composed, server };
      let metrics: MetricsListener | undefined;
      try {
        metrics = await serveMetrics(serving, print);
        composed.announce(server.url);
        warn(serving);
        await welcome(serving, { print, open: values.open === true });
        if (!signal.aborted) await once(signal, 'abort');
      } finally {
        await server.close();
        await metrics?.close();
      }
    } finally {
      await composed.close();
    }
    return 0;
  },
};
