/**
 * Command lines of `evidence-studio`. In CI a process that has the program loaded runs them, where
 * nothing about the process itself is asked; in the long form each is the real command
 * (`commands/binary.test.ts` starts each of them so in CI too).
 */
import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import type { CommandEnd, CommandLine } from './command-host.ts';
import { IS_LONG } from './length.ts';

const HOST = path.join(import.meta.dirname, 'command-host.ts');
const PATIENCE_MS = 60_000;
const idle: ChildProcess[] = [];

function takeHost(): ChildProcess {
  for (let host = idle.pop(); host !== undefined; host = idle.pop())
    if (host.connected) return host;
  const host = fork(HOST, [], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const end = (): unknown => host.kill('SIGKILL');
  process.once('exit', end);
  host.once('exit', () => process.off('exit', end));
  return host;
}

/**
 * Whether a loaded process may run it: nothing in its environment is read when Node starts. `serve`
 * is run to its end too, where it is refused.
 */
export function isHosted([command = '']: readonly string[], env: NodeJS.ProcessEnv): boolean {
  if (IS_LONG || command.startsWith('-')) return false;
  return Object.keys(env).every(
    (name) => name === 'NODE_ENV' || !/^(?:NODE_|EVIDENCE_TEST_)/.test(name),
  );
}

export async function runHosted(line: CommandLine): Promise<CommandEnd> {
  const host = takeHost();
  host.ref();
  host.channel?.ref();
  const timer = setTimeout(() => host.kill('SIGKILL'), PATIENCE_MS);
  const end = await new Promise<CommandEnd>((resolve) => {
    const died = (): void => resolve({ code: null, stdout: '', stderr: 'The command host died.' });
    host.once('exit', died);
    host.once('message', (message) => {
      host.off('exit', died);
      resolve(message as CommandEnd);
    });
    host.send(line);
  });
  clearTimeout(timer);
  host.unref();
  host.channel?.unref();
  idle.push(host);
  return end;
}
