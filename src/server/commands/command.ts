import type { ParseArgsConfig } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

export interface Invocation {
  /** Option values by name. `--data`, `--json` and `--help` exist for every command. */
  values: Record<string, string | boolean | undefined>;
  positionals: readonly string[];
  /** Prints one result: as JSON with `--json`, else as text. */
  print(words: string, value: unknown): void;
  /** Aborted by SIGINT and SIGTERM. */
  signal: AbortSignal;
}

export interface CliCommand {
  /** As typed: `serve`, `key create`. */
  name: string;
  summary: string;
  /** Names of positional arguments, all of them required. */
  arguments: readonly string[];
  options: Options;
  /** Help text by option. */
  help: Record<string, string>;
  /** Resolves with the exit code. */
  run(invocation: Invocation): Promise<number>;
}

/** A failure or a refusal that is reported in one sentence: exit code 1. */
export class CommandError extends Error {
  override name = 'CommandError';
}

/** A call that cannot be carried out as it was typed: exit code 2. */
export class UsageError extends CommandError {
  override name = 'UsageError';
}

/** The value of an option that takes a text. */
export function text(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
