import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { isHosted, runHosted } from './commands.ts';

export const ROOT = path.resolve(import.meta.dirname, '../..');
export const BIN = path.join(ROOT, 'bin/evidence-studio.js');

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end, which may be a failure. */
export function runToEnd(
  program: string,
  args: readonly string[],
  { input = '', ...options }: { env?: NodeJS.ProcessEnv; cwd?: string; input?: string } = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(
      program,
      args,
      { ...options, timeout: 60_000, env: { ...process.env, ...options.env } },
      (error, stdout, stderr) => {
        resolve({
          code: error === null ? 0 : typeof error.code === 'number' ? error.code : null,
          stdout,
          stderr,
        });
      },
    );
    // One that ends before it has read its input closes the pipe; its code tells how it ended.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/** One `evidence-studio` command line with what it says and its code. */
export function command(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  input = '',
): Promise<Ended> {
  return isHosted(args, env)
    ? runHosted({ args, env: { ...process.env, ...env }, input })
    : realCommand(args, env, input);
}

/** The same as a process of its own, as a person starts it. */
export function realCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  input = '',
): Promise<Ended> {
  return runToEnd(process.execPath, [BIN, ...args], { env, input });
}

/**
 * Runs one `evidence-studio` command line to its end and returns what it printed. Rejects on a code
 * other than 0.
 */
export async function cli(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { code, stdout, stderr } = await command(args, env);
  if (code !== 0) throw new Error(`evidence-studio ${args.join(' ')}: ${code}: ${stderr}`);
  return stdout;
}

export interface Served {
  url: string;
  child: ChildProcess;
  /** Everything printed so far. */
  output(): string;
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** `evidence-studio serve` as a process of its own on a free port, ready to answer. */
export function serve(
  dataDir: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<Served> {
  return serveWith(
    process.execPath,
    [BIN, 'serve', '--port', '0', '--data', dataDir, ...args],
    env,
  );
}

/** Any program that becomes a server and says so. A test that fails leaves none behind. */
export async function serveWith(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Served> {
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = (): unknown => child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const listen = (chunk: Buffer): void => {
      output += chunk.toString();
      const match = /listening on (https?:\S+)|^\{"url":"(http:[^"]+)"/m.exec(output);
      const found = match?.[1] ?? match?.[2];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('exit', (code) => reject(new Error(`serve ended with ${code}: ${output}`)));
  });
  return {
    url,
    child,
    output: () => output,
    async kill(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      await once(child, 'exit');
    },
  };
}

export async function makeKey(
  dataDir: string,
  scopes = 'read,write',
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const answer: unknown = JSON.parse(
    await cli(
      ['key', 'create', '--name', 'test', '--scopes', scopes, '--json', '--data', dataDir],
      env,
    ),
  );
  if (
    typeof answer !== 'object' ||
    answer === null ||
    !('key' in answer) ||
    typeof answer.key !== 'string'
  )
    throw new Error('No key was printed.');
  return answer.key;
}

/** Headers of a session of a user, who is made where there is none. */
export async function signedIn(
  url: string,
  dataDir: string,
  user?: string,
): Promise<Record<string, string>> {
  const link =
    /http\S+\/sign-in\?token=[\w-]+/.exec(
      await cli(['sign-in', '--data', dataDir, ...(user === undefined ? [] : ['--user', user])]),
    )?.[0] ?? '';
  const cookie =
    (await fetch(link, { redirect: 'manual' })).headers.get('set-cookie')?.split(';')[0] ?? '';
  return { cookie, origin: url, 'content-type': 'application/json' };
}

/** The key by which a studio is connected to this one, as a person makes it. */
export async function makeStudioKey(url: string, dataDir: string, user?: string): Promise<string> {
  const headers = await signedIn(url, dataDir, user);
  const answer = await fetch(`${url}/api/v1/studio-keys`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name: 'studio' }),
  });
  const made: unknown = await answer.json();
  if (typeof made !== 'object' || made === null || !('key' in made) || typeof made.key !== 'string')
    throw new Error(`No key was made: ${JSON.stringify(made)}`);
  return made.key;
}

/** A JSON call with a key; returns the status and the parsed body. */
export async function call(
  url: string,
  key: string,
  method: string,
  pathAndQuery: string,
  body?: unknown,
): Promise<{ status: number; body: any; headers: Headers }> {
  const response = await fetch(url + pathAndQuery, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json(), headers: response.headers };
}
