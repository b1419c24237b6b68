import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { dataFolder } from '../server/instance/data-folder.ts';
import type { SecretStore } from '../server/instance/hmac-secret.ts';
import type { ElectronLike } from './electron-like.ts';
import { openKeyStore } from './key-store.ts';
import { refusal, refusedSwitch } from './switches.ts';

/** What the installed launcher puts before the words of a command. */
const MARK = 'command';

/**
 * The words of a command line, where the launcher asks for one instead of the window. Only switches
 * stand before the mark, so a file or link that is opened is never taken for it.
 */
export function commandWords(argv: readonly string[]): string[] | undefined {
  const first = argv.findIndex((argument) => !argument.startsWith('-'));
  return argv[first] === MARK ? argv.slice(first + 1) : undefined;
}

/**
 * What other programs start for a command: the launcher of a package of Linux, else the
 * application.
 */
export const installedProgram = (executable: string): string[] =>
  executable.startsWith('/usr/lib/evidence-studio/')
    ? ['/usr/bin/evidence-studio']
    : [executable, MARK];

type Program = (args: readonly string[], keyStore: SecretStore) => Promise<void>;

export interface CommandPorts {
  /** The whole command line, for switches that a packaged application refuses. */
  argv: readonly string[];
  platform: NodeJS.Platform;
  /** Folder of the built main process; the program of the commands is beside it. */
  built: string;
  exitCode(): number;
  /** The program, if not the built one. */
  program?: Program;
}

async function builtProgram(built: string): Promise<Program> {
  const file = pathToFileURL(path.join(built, '../server/index.js'));
  return ((await import(file.href)) as { main: Program }).main;
}

/** Where Electron finds what its key store needs; a throw-away folder where there is none. */
function profileOf(words: readonly string[]): string {
  const { data } = parseArgs({
    args: [...words],
    options: { data: { type: 'string' } },
    strict: false,
  }).values;
  const kept = path.join(dataFolder(typeof data === 'string' ? data : undefined), 'window');
  if (existsSync(kept)) return kept;
  const temporary = mkdtempSync(path.join(os.tmpdir(), 'evidence-studio-'));
  process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));
  return temporary;
}

/**
 * Runs one command without a window and ends the application with its exit code. The commands are
 * those of the server's program; secrets sealed by the system's key store open here, too.
 */
export async function runCommand(
  { app, safeStorage }: Pick<ElectronLike, 'app' | 'safeStorage'>,
  words: readonly string[],
  ports: CommandPorts,
): Promise<void> {
  const refused = refusedSwitch(ports.argv, app.isPackaged);
  if (refused !== undefined) {
    console.error(refusal(refused));
    return app.exit(1);
  }
  app.setPath('userData', profileOf(words));
  let found: Promise<SecretStore> | undefined;
  const keyStore = (): Promise<SecretStore> =>
    (found ??= app
      .whenReady()
      .then(() => openKeyStore(safeStorage, ports.platform, app.isPackaged)));
  try {
    const run = ports.program ?? (await builtProgram(ports.built));
    await run(words, {
      seal: async (secret) => (await keyStore()).seal(secret),
      open: async (sealed) => (await keyStore()).open(sealed),
    });
    app.exit(ports.exitCode());
  } catch (error) {
    // The program reports its own failures: this one is a defect. No dialog, as there is no display.
    console.error(error);
    app.exit(1);
  }
}
