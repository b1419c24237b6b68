import { type Discovery, readDiscovery } from '../instance/discovery.ts';

const ANSWER_WITHIN_MS = 2_000;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Whether a server answers at this address. One that is too busy to answer counts as running, one
 * whose port is closed does not. An https address is not asked, since it may not be reachable from
 * its own host.
 */
async function listens(url: string): Promise<boolean> {
  if (!url.startsWith('http:')) return true;
  return fetch(`${url}/healthz`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }).then(
    async (answer) => (await answer.text()).includes('"status"'),
    (error: unknown) => error instanceof Error && error.name === 'TimeoutError',
  );
}

/**
 * What `server.json` says, if that server is alive: a server that was killed leaves the file
 * behind, and its process id may belong to another program by now.
 */
export async function runningServer(folder: string): Promise<Discovery | undefined> {
  const found = readDiscovery(folder);
  return found !== undefined && isAlive(found.pid) && (await listens(found.url))
    ? found
    : undefined;
}
