/**
 * A process that has loaded the program and runs one command line after another
 * (`test/support/commands.ts`): most of what a short command costs is loading.
 */
import { Readable } from 'node:stream';
import { loadProgram } from '../../bin/load.js';

export interface CommandLine {
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  input: string;
}
export interface CommandEnd {
  code: number | null;
  stdout: string;
  stderr: string;
}

if (process.send !== undefined) {
  const { main } = await loadProgram('evidence-studio-commands');

  const answer = async ({ args, env, input }: CommandLine): Promise<CommandEnd> => {
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      process[name].write = (chunk: unknown, ...rest: unknown[]): boolean => {
        said[name] += chunk instanceof Uint8Array ? Buffer.from(chunk).toString() : String(chunk);
        const done = rest.at(-1);
        if (typeof done === 'function') process.nextTick(done);
        return true;
      };
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, env);
    Object.defineProperty(process, 'stdin', {
      value: Readable.from(input === '' ? [] : [Buffer.from(input)]),
      configurable: true,
    });
    process.umask(0o022);
    process.exitCode = undefined;
    await main(args);
    for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal);
    return { code: Number(process.exitCode ?? 0), ...said };
  };
  process.on('message', (line) => {
    void answer(line as CommandLine).then((end) => process.send?.(end));
  });
  process.once('disconnect', () => process.exit(0));
}
