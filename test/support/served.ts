import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { promisify } from 'node:util';

export const ROOT = path.resolve(import.meta.dirname, '../..');
const BIN = path.join(ROOT, 'bin/evidence-studio.js');

/** Runs one `evidence-studio` command line to its end and returns what it printed. Rejects on a code other than 0. */
export async function cli(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [BIN, ...args], { env: { ...process.env, ...env } });
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
export async function serve(dataDir: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Served> {
  const child = spawn(process.execPath, [BIN, 'serve', '--port', '0', '--data', dataDir, ...args], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const listen = (chunk: Buffer): void => {
      output += chunk.toString();
      const match = /listening on (http:\S+)/.exec(output);
      if (match?.[1] !== undefined) resolve(match[1]);
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

export async function makeKey(dataDir: string, scopes = 'read,write'): Promise<string> {
  const answer: unknown = JSON.parse(await cli(['key', 'create', '--name', 'test', '--scopes', scopes, '--json', '--data', dataDir]));
  if (typeof answer !== 'object' || answer === null || !('key' in answer) || typeof answer.key !== 'string') throw new Error('No key was printed.');
  return answer.key;
}

/** A JSON call with a key; returns the status and the parsed body. */
export async function call(url: string, key: string, method: string, pathAndQuery: string, body?: unknown): Promise<{ status: number; body: any; headers: Headers }> {
  const response = await fetch(url + pathAndQuery, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json(), headers: response.headers };
}
