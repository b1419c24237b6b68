/**
 * An S3 server of the tests' own, as a process: s3rver, which checks signatures and takes parts.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { S3Place } from '../../src/server/storage/blobs/place.ts';
import { freePort } from './postgres.ts';
import { ROOT } from './served.ts';

const BUCKET = 'blobs-of-tests';
/** The only credentials that it knows. */
const WORD = 'S3RVER';
const PROGRAM = `
  import S3rver from '@20minutes/s3rver';
  const [directory, port, name] = process.argv.slice(1);
  await new S3rver({ directory, port: Number(port), address: '127.0.0.1', silent: true,
    configureBuckets: [{ name }] }).run();
  console.log('ready');
`;

export interface RunningS3 {
  place: S3Place;
  /** The settings by which a server finds it. */
  env: NodeJS.ProcessEnv;
  /** The folder in which it keeps what is below a prefix. */
  folderOf(prefix: string): string;
  /** It is there, and answers nothing. */
  freeze(): void;
  thaw(): void;
  /** Nothing listens where it was; `start` begins again with the same objects. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Files of objects below a folder; what s3rver notes beside them is left out. */
export function objectFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/metadata\.json$|\.md5$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name));
}

export async function startS3(prefix = 'studio/one'): Promise<RunningS3> {
  const folder = mkdtempSync(path.join(tmpdir(), 'evidence-s3-'));
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  async function start(): Promise<void> {
    const started = spawn(
      process.execPath,
      ['--input-type=module', '-e', PROGRAM, folder, String(port), BUCKET],
      { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    child = started;
    process.once('exit', () => started.kill('SIGKILL'));
    await Promise.race([
      once(started.stdout, 'data'),
      once(started, 'exit').then(() => {
        throw new Error('The S3 server of the tests did not start: is s3rver installed?');
      }),
    ]);
  }
  async function kill(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
  await start();
  return {
    place: {
      kind: 's3',
      bucket: BUCKET,
      prefix,
      endpoint,
      region: 'us-east-1',
      pathStyle: true,
      accessKeyId: WORD,
      secretAccessKey: WORD,
      sessionToken: undefined,
    },
    env: {
      EVIDENCE_STUDIO_BLOBS: `s3://${BUCKET}/${prefix}`,
      AWS_ENDPOINT_URL: endpoint,
      AWS_ACCESS_KEY_ID: WORD,
      AWS_SECRET_ACCESS_KEY: WORD,
    },
    folderOf: (below) => path.join(folder, BUCKET, below),
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    kill,
    start,
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
