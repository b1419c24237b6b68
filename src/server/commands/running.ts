import { type Discovery, Identity, IDENTITY_PATH, readDiscovery } from '../instance/discovery.ts';
import { nodeFetch } from '../network/node-fetch.ts';
import { CommandError } from './command.ts';

const ANSWER_WITHIN_MS = 2_000;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Which server answers at the address of `server.json`; `silent`: none did in time. */
async function answering({ url, instance_id }: Discovery): Promise<'it' | 'another' | 'silent'> {
  try {
    const answer = await nodeFetch(url + IDENTITY_PATH, {
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const { data } = Identity.safeParse(await answer.json());
    return data?.instance_id === instance_id ? 'it' : 'another';
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError' ? 'silent' : 'another';
  }
}

/**
 * What `server.json` says, if that server is alive: one that was killed leaves the file behind, and
 * another program may have its process id or its port by now. An https address is not asked, since
 * it may not be reachable from its own host.
 */
async function findRunning(
  folder: string,
): Promise<{ server: Discovery; isSilent: boolean } | undefined> {
  const server = readDiscovery(folder);
  if (server === undefined || !isAlive(server.pid)) return undefined;
  if (!server.url.startsWith('http:')) return { server, isSilent: false };
  const who = await answering(server);
  return who === 'another' ? undefined : { server, isSilent: who === 'silent' };
}

/** The server that runs on a data folder; one too busy to answer runs as well. */
export const runningServer = async (folder: string): Promise<Discovery | undefined> =>
  (await findRunning(folder))?.server;

/**
 * The same for whoever gives it a secret, which must not get to another program. Throws
 * CommandError where it did not say in time that it is the one.
 */
export async function provenServer(folder: string): Promise<Discovery | undefined> {
  const found = await findRunning(folder);
  if (found?.isSilent === true)
    throw new CommandError(`The server at ${found.server.url} does not answer. Try again.`);
  return found?.server;
}
