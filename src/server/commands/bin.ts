import { parseArgs } from 'node:util';
import type { SecretStore } from '../instance/hmac-secret.ts';
import { packageVersion } from '../package-version.ts';
import { startAhead } from '../thread/start.ts';
import { type CliCommand, UsageError } from './command.ts';

/** Commands by name, each loaded when it is run: an agent's host waits for the start of `mcp`. */
const COMMANDS: ReadonlyMap<string, () => Promise<CliCommand>> = new Map([
  ['serve', async () => (await import('./serve.ts')).serve],
  ['sign-in', async () => (await import('./sign-in.ts')).signIn],
  ['key create', async () => (await import('./key.ts')).keyCreate],
  ['key list', async () => (await import('./key.ts')).keyList],
  ['key revoke', async () => (await import('./key.ts')).keyRevoke],
  ['key new-secret', async () => (await import('./key.ts')).keyNewSecret],
  ['admin create', async () => (await import('./admin.ts')).adminCreate],
  ['admin list', async () => (await import('./access.ts')).adminList],
  ['admin disable', async () => (await import('./access.ts')).adminDisable],
  ['admin enable', async () => (await import('./access.ts')).adminEnable],
  ['admin owner', async () => (await import('./access.ts')).adminOwner],
  ['admin publish', async () => (await import('./access.ts')).adminPublish],
  ['admin reset-password', async () => (await import('./admin.ts')).adminResetPassword],
  ['verify', async () => (await import('./verify.ts')).verify],
  ['verify stored', async () => (await import('./verify-stored.ts')).verifyStored],
  ['audit', async () => (await import('./audit.ts')).audit],
  ['verify-audit', async () => (await import('./verify-audit.ts')).verifyAudit],
  ['status', async () => (await import('./status.ts')).status],
  ['mcp', async () => (await import('./mcp.ts')).mcp],
  ['doctor', async () => (await import('./doctor.ts')).doctor],
  ['connect', async () => (await import('./connect.ts')).connect],
  ['disconnect', async () => (await import('./connect.ts')).disconnect],
  ['share', async () => (await import('./connect.ts')).share],
  ['backup', async () => (await import('./backup.ts')).backup],
  ['restore', async () => (await import('./restore.ts')).restore],
  ['blobs back', async () => (await import('./blobs.ts')).blobsBack],
  ['database status', async () => (await import('./database.ts')).databaseStatus],
  ['database prepare', async () => (await import('./database.ts')).databasePrepare],
  ['database finish', async () => (await import('./database.ts')).databaseFinish],
]);

const COMMON = {
  data: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;
const COMMON_HELP: Record<string, string> = {
  data: 'the data folder (default: EVIDENCE_STUDIO_DATA, else the application data folder of this system)',
  json: 'answer in JSON',
  help: 'this text',
};

async function overview(): Promise<string> {
  const commands = await Promise.all([...COMMANDS.values()].map((load) => load()));
  const width = Math.max(...commands.map((command) => usage(command).length));
  return [
    'evidence-studio COMMAND [options]',
    '',
    ...commands.map((command) => `  ${usage(command).padEnd(width)}  ${command.summary}`),
    '',
    'evidence-studio COMMAND --help lists the options of one, evidence-studio --version the version.',
  ].join('\n');
}

function usage(command: CliCommand): string {
  return [command.name, ...command.arguments].join(' ');
}

function helpOf(command: CliCommand): string {
  const options = Object.entries({ ...command.options, ...COMMON }).map(
    ([name, option]) =>
      [
        `--${name}${option.type === 'string' ? ' VALUE' : ''}`,
        command.help[name] ?? COMMON_HELP[name] ?? '',
      ] as const,
  );
  const width = Math.max(...options.map(([name]) => name.length));
  return [
    `evidence-studio ${usage(command)} [options]`,
    '',
    `${command.summary}.`,
    '',
    ...options.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`),
  ].join('\n');
}

async function find(
  args: readonly string[],
): Promise<{ command: CliCommand; rest: string[] } | undefined> {
  for (const words of [2, 1]) {
    const load = COMMANDS.get(args.slice(0, words).join(' '));
    if (load !== undefined) return { command: await load(), rest: args.slice(words) };
  }
  return undefined;
}

async function dispatch(args: readonly string[]): Promise<number> {
  const found = await find(args);
  if (found === undefined) {
    if (args.length === 1 && args[0] === '--version') {
      console.log(packageVersion());
      return 0;
    }
    const asked = args.length === 0 || args.includes('--help') || args.includes('-h');
    if (!asked) throw new UsageError(`There is no such command. See evidence-studio --help.`);
    console.log(await overview());
    return 0;
  }
  const { command, rest } = found;
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({
      args: rest,
      options: { ...command.options, ...COMMON },
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    const [problem] =
      error instanceof Error ? error.message.split(/[.\n]/) : ['The options cannot be read'];
    throw new UsageError(`${problem}. See evidence-studio ${command.name} --help.`);
  }
  const values = parsed.values as Record<string, string | boolean | undefined>;
  if (values.help === true) {
    console.log(helpOf(command));
    return 0;
  }
  if (parsed.positionals.length !== command.arguments.length)
    throw new UsageError(`Expected: evidence-studio ${usage(command)}`);
  const abort = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => abort.abort());
  const print = (words: string, value: unknown): void =>
    console.log(values.json === true ? JSON.stringify(value) : words);
  return command.run({ values, positionals: parsed.positionals, print, signal: abort.signal });
}

/**
 * Errors of the language itself are defects and are shown with their stack; every other error is a
 * sentence for the person.
 */
function isMistakeOfOurs(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  return (
    !('code' in error) &&
    [TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => error instanceof kind)
  );
}

/**
 * Runs one command line and sets the exit code: 0 done, 1 failed or refused, 2 not understood.
 * `keyStore`: the system's, where the caller can open it.
 */
export async function main(args: readonly string[], keyStore?: SecretStore): Promise<void> {
  try {
    if (keyStore !== undefined) (await import('../open-data.ts')).provideKeyStore(keyStore);
    if (args[0] === 'serve') startAhead();
    process.exitCode = await dispatch(args);
  } catch (error) {
    console.error(isMistakeOfOurs(error) ? error : `evidence-studio: ${(error as Error).message}`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}
