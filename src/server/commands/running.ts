import { type Discovery, readDiscovery } from '../discovery.ts';

const ANSWER_WITHIN_MS = 2_000;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** A server that is too busy to answer runs; one that nobody listens for does not. An https address may not be reachable from its own host. */
async function listens(url: string): Promise<boolean> {
  if (!url.startsWith('http:')) return true;
  return fetch(`${url}/healthz`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }).then(
    async (answer) => (await answer.text()).includes('"status"'),
    (error: unknown) => error instanceof Error && error.name === 'TimeoutError',
  );
}

/** What `server.json` says, if that server lives: one that was killed leaves the file, and its process id may be another program's by now. */
export async function runningServer(folder: string): Promise<Discovery | undefined> {
  const found = readDiscovery(folder);
  return found !== undefined && isAlive(found.pid) && (await listens(found.url)) ? found : undefined;
}
