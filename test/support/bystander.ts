import { request } from 'node:http';

/** Another address of this computer; where there is only one, that. */
const ELSEWHERE = process.platform === 'linux' ? '127.0.0.2' : undefined;

function once(url: string, key: string, method: 'GET' | 'POST', body?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      }),
    };
    // A connection of its own each time: a newcomer finds room.
    const sent = request(
      `${url}/api/v1/projects`,
      {
        method,
        headers,
        agent: false,
        ...(ELSEWHERE !== undefined && { localAddress: ELSEWHERE }),
      },
      (answer) => {
        answer.resume();
        answer.once('end', () => resolve(answer.statusCode ?? 0));
        answer.once('error', reject);
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

/**
 * Somebody else who goes on reading and writing, on new connections from another address. `stop`
 * answers the statuses that they got, so many at least.
 */
export function bystander(url: string, key: string, least = 2): { stop(): Promise<number[]> } {
  const statuses: number[] = [];
  const abort = new AbortController();
  const done = (async () => {
    for (let turn = 0; !abort.signal.aborted || turn < least; turn += 1) {
      statuses.push(
        await (turn % 2 === 0
          ? once(url, key, 'GET')
          : once(url, key, 'POST', JSON.stringify({ name: 'Bystander' }))),
      );
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
  })();
  done.catch(() => {});
  return {
    async stop() {
      abort.abort();
      await done;
      return statuses;
    },
  };
}
