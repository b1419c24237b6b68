import { parseArgs } from 'node:util';
import { adminDisable, adminEnable, adminList, adminOwner, adminPublish } from './access.ts';
import { adminCreate, adminResetPassword } from './admin.ts';
import { audit } from './audit.ts';
import { backup } from './backup.ts';
import { blobsBack } from './blobs.ts';
import { type CliCommand, UsageError } from './command.ts';
import { connect, disconnect, share } from './connect.ts';
import { databaseFinish, databasePrepare, databaseStatus } from './database.ts';
import { keyCreate, keyList, keyNewSecret, keyRevoke } from './key.ts';
import type { SecretStore } from '../instance/hmac-secret.ts';
import { packageVersion, provideKeyStore } from '../open-data.ts';
import { doctor } from './doctor.ts';
import { restore } from './restore.ts';
import { serve } from './serve.ts';
import { signIn } from './sign-in.ts';
import { status } from './status.ts';
import { verify, verifyStored } from './verify.ts';
import { verifyAudit } from './verify-audit.ts';

const COMMANDS: readonly CliCommand[] = [
  serve,
  signIn,
  keyCreate,
  keyList,
  keyRevoke,
  keyNewSecret,
  adminCreate,
  adminList,
  adminDisable,
  adminEnable,
  adminOwner,
  adminPublish,
  adminResetPassword,
  verify,
  verifyStored,
  audit,
  verifyAudit,
  status,
  doctor,
  connect,
  disconnect,
  share,
  backup,
  restore,
  blobsBack,
  databaseStatus,
  databasePrepare,
  databaseFinish,
];

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

function overview(): string {
  const width = Math.max(...COMMANDS.map((command) => usage(command).length));
  return [
    'evidence-studio COMMAND [options]',
    '',
    ...COMMANDS.map((command) => `  ${usage(command).padEnd(width)}  ${command.summary}`),
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

function find(args: readonly string[]): { command: CliCommand; rest: string[] } | undefined {
  for (const words of [2, 1]) {
    const command = COMMANDS.find((candidate) => candidate.name === args.slice(0, words).join(' '));
    if (command !== undefined) return { command, rest: args.slice(words) };
  }
  return undefined;
}

async function dispatch(args: readonly string[]): Promise<number> {
  const found = find(args);
  if (found === undefined) {
    if (args.length === 1 && args[0] === '--version') {
      console.log(packageVersion());
      return 0;
    }
    const asked = args.length === 0 || args.includes('--help') || args.includes('-h');
    if (!asked) throw new UsageError(`There is no such command. See evidence-studio --help.`);
    console.log(overview());
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
  if (keyStore !== undefined) provideKeyStore(keyStore);
  try {
    process.exitCode = await dispatch(args);
  } catch (error) {
    console.error(isMistakeOfOurs(error) ? error : `evidence-studio: ${(error as Error).message}`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}
