import { installedProgram } from './command-line.ts';
import type { DestinationStream } from 'pino';
import { listBackups } from '../server/instance/backups.ts';
import { type Composed, composeServer, restoreInto } from '../server/compose.ts';
import type { Config } from '../server/config/config.ts';
import type { SecretStore } from '../server/instance/hmac-secret.ts';
import { createEvidenceServer, type EvidenceServer } from '../server/server.ts';
import type { ElectronLike } from './electron-like.ts';
import { askAboutDamage, damageIn } from './failures.ts';
import { say } from './say.ts';
import { markStarted } from './updates/put-back.ts';

export interface StudioPorts {
  dialog: ElectronLike['dialog'];
  config: Config;
  folder: string;
  rendererRoot: string;
  secretStore: SecretStore;
  /** For requests to a hosted server. */
  fetch: typeof globalThis.fetch;
  version: string;
  /** The first file of the store's thread. */
  threadFile: URL | undefined;
  log: DestinationStream;
}

/** The embedded server with its store, while the application runs. */
export interface Studio {
  composed: Composed;
  server: EvidenceServer;
  /** What the person should know, one sentence each. */
  notices: string[];
  /** Lets requests end, closes the store, removes `server.json`. Later calls wait for the first. */
  close(): Promise<void>;
}

/** Opens the store, asking the person about a damaged one; undefined where they chose to quit. */
async function compose(ports: StudioPorts): Promise<Composed | undefined> {
  const open = (): Promise<Composed> =>
    composeServer({
      dataDir: ports.folder,
      home: 'desktop',
      program: installedProgram(process.execPath),
      rendererRoot: ports.rendererRoot,
      config: ports.config,
      secretStore: ports.secretStore,
      fetch: ports.fetch,
      version: ports.version,
      log: ports.log,
      threadFile: ports.threadFile,
    });
  let opened: Composed | undefined;
  let damage: string | undefined;
  try {
    opened = await open();
    damage = damageIn(opened.store.health().read_only);
  } catch (error) {
    damage = damageIn(error);
    if (damage === undefined) throw error;
  }
  if (damage === undefined) return opened;
  const [newest] = listBackups(ports.folder);
  // The database is the trouble, not this version.
  markStarted(ports.folder);
  const choice = await askAboutDamage(ports.dialog, damage, newest, opened !== undefined);
  if (choice === 'open') return opened;
  await opened?.close();
  if (choice !== 'restore' || newest === undefined) return undefined;
  restoreInto(ports.folder, newest);
  return open();
}

/**
 * Opens the data folder and listens for agents. Undefined where the person chose to quit; throws
 * where it cannot be opened.
 */
export async function openStudio(ports: StudioPorts): Promise<Studio | undefined> {
  const composed = await compose(ports);
  if (composed === undefined) return undefined;
  let server: EvidenceServer;
  try {
    server = await createEvidenceServer(composed.deps, composed.listen);
  } catch (error) {
    await composed.close();
    throw error;
  }
  composed.announce(server.url);
  const { moved } = server;
  const readOnly = composed.store.health().read_only;
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await server.close();
    await composed.close();
  };
  return {
    composed,
    server,
    notices: [
      ...(moved === undefined
        ? []
        : [
            say(
              'Port {port} is used by another program: agents reach this studio at {url} for now. The file server.json in the data folder always says where.',
              { port: moved.from, url: server.url },
            ),
          ]),
      ...(readOnly === null ? [] : [say(readOnly)]),
      ...(composed.secretProblem === null ? [] : [say(composed.secretProblem)]),
    ],
    close: () => (closing ??= close()),
  };
}
