import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createSignInLink } from '../auth/sign-in.ts';
import { composeServer } from '../compose.ts';
import { readConfig } from '../config.ts';
import { builtRenderer } from '../renderer-root.ts';
import { createEvidenceServer } from '../server.ts';
import { type Command, text } from './command.ts';

/** Hands a link to the desktop's own browser, where there is a desktop. */
function openInBrowser(url: string): void {
  const hasDesktop = process.platform !== 'linux' || Boolean(process.env.DISPLAY ?? process.env.WAYLAND_DISPLAY);
  if (!hasDesktop) return;
  const [command, ...args] = process.platform === 'darwin' ? ['open', url] : process.platform === 'win32' ? ['cmd', '/c', 'start', '', url] : ['xdg-open', url];
  spawn(command ?? '', args, { stdio: 'ignore', detached: true }).on('error', () => undefined).unref();
}

export const serve: Command = {
  name: 'serve',
  summary: 'Run the server until SIGINT or SIGTERM',
  arguments: [],
  options: { port: { type: 'string' }, host: { type: 'string' }, 'database-url': { type: 'string' }, open: { type: 'boolean' } },
  help: {
    port: 'the port to listen on; 0 picks a free one (default 4610, or a free one where that is taken)',
    host: 'the address to listen on (default 127.0.0.1)',
    'database-url': 'keep the data in this PostgreSQL instead of SQLite (default: DATABASE_URL)',
    open: 'open the studio in a browser',
  },
  async run({ values, print, signal }) {
    const [port, host, database] = [text(values.port), text(values.host), text(values['database-url'])];
    const config = readConfig({
      ...process.env,
      ...(port === undefined ? {} : { EVIDENCE_STUDIO_PORT: port }),
      ...(host === undefined ? {} : { EVIDENCE_STUDIO_HOST: host }),
      ...(database === undefined ? {} : { DATABASE_URL: database }),
    });
    const hosted = config.publicUrl !== undefined;
    const composed = await composeServer({ dataDir: text(values.data), home: hosted ? 'hosted' : 'local', rendererRoot: builtRenderer(), config });
    try {
      const server = await createEvidenceServer(composed.deps, { ...composed.listen, ...(config.publicUrl === undefined ? {} : { publicUrl: config.publicUrl }), validateAnswers: config.validateAnswers });
      try {
        composed.announce(server.url);
        if (server.moved !== undefined) console.error(`Port ${server.moved.from} is taken: using ${server.moved.to}.`);
        const readOnly = composed.store.health().read_only;
        if (readOnly !== null) console.error(`Read-only: ${readOnly}`);
        if (composed.pepperProblem !== null) console.error(composed.pepperProblem);
        print(`listening on ${server.url}`, { url: server.url, port: server.port, data: composed.folder });
        if (!hosted && readOnly === null) {
          const link = await createSignInLink(composed.deps, server.url);
          print(`sign in once, within ten minutes: ${link}`, { sign_in: link });
          if (values.open === true) openInBrowser(link);
        }
        if (!signal.aborted) await once(signal, 'abort');
      } finally {
        await server.close();
      }
    } finally {
      await composed.close();
    }
    return 0;
  },
};

