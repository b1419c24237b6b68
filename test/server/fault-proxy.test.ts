import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Fault,
  FAULT_KINDS,
  type FaultProxy,
  seededFaults,
  startProxy,
} from '../support/fault-proxy.ts';
import { seeded } from '../support/random.ts';

let server: Server;
let proxy: FaultProxy;
/** What reached the server, whole. */
let received: string[];
beforeEach(async () => {
  received = [];
  server = createServer((request, response) => {
    if (request.url === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
      return;
    }
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      received.push(`${request.method} ${request.url} ${body}`);
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ n: received.length }));
    });
    request.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  proxy = await startProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterEach(async () => {
  await proxy.close();
  server.closeAllConnections();
  server.close();
});

async function ask(body = 'x', signal?: AbortSignal): Promise<string> {
  try {
    const response = await fetch(`${proxy.url}/a`, {
      method: 'POST',
      body,
      redirect: 'error',
      ...(signal === undefined ? {} : { signal }),
    });
    return `${response.status} ${await response.text()}`;
  } catch {
    return 'no answer';
  }
}
const spoil = (fault: Fault): void => {
  let spent = false;
  proxy.plan = () => {
    if (spent) return null;
    spent = true;
    return fault;
  };
};

describe('the fault proxy', () => {
  it('passes on what it is not told to spoil', async () => {
    expect(await ask('hello')).toBe('200 {"n":1}');
    expect(received).toEqual(['POST /a hello']);
    expect(proxy.seen).toMatchObject([
      { method: 'POST', path: '/a', fault: null, status: 200, requestBytes: 5 },
    ]);
  });

  it('cuts an answer at every byte, after the work was done', async () => {
    await ask();
    const { bytes } = proxy.seen[0] ?? { bytes: 0 };
    for (let at = 0; at < bytes; at += 1) {
      spoil({ do: 'cut answer', at });
      expect(await ask(), `at ${at} of ${bytes}`).toBe('no answer');
    }
    expect(received).toHaveLength(bytes + 1);
    spoil({ do: 'cut answer', at: bytes + 9 });
    expect(await ask()).toMatch(/^200/);
  });

  it('cuts and drops requests', async () => {
    for (const fault of [
      { do: 'cut request', at: 0 },
      { do: 'cut request', at: 60 },
      { do: 'drop' },
    ] as const) {
      spoil(fault);
      expect(await ask()).toBe('no answer');
    }
    expect(received).toEqual([]);
  });

  it('delivers twice, and late', async () => {
    spoil({ do: 'twice' });
    expect(await ask()).toBe('200 {"n":2}');
    spoil({ do: 'late', by: 2 });
    expect(await ask('late')).toBe('no answer');
    await ask('second');
    expect(received.at(-1)).toBe('POST /a second');
    await ask('third');
    await expect.poll(() => received.at(-1)).toBe('POST /a late');
  });

  it('answers in the server’s place', async () => {
    spoil({ do: 'refuse', status: 429, retryAfter: '3' });
    expect(await ask()).toMatch(/^429 .*rate_limited/);
    spoil({ do: 'html' });
    expect(await ask()).toMatch(/^200 <!doctype html>/);
    spoil({ do: 'redirect', to: 'http://127.0.0.1:9/' });
    expect(await ask()).toBe('no answer');
    expect(received).toEqual([]);
    spoil({ do: 'bad gzip' });
    expect(await ask()).toBe('no answer');
    spoil({ do: 'flip', at: 3 });
    expect(await ask()).not.toContain('"n":2');
    spoil({ do: 'stall', at: 20 });
    expect(await ask('x', AbortSignal.timeout(100))).toBe('no answer');
  });

  it('passes events on, or keeps them to itself', async () => {
    const listen = async (): Promise<string> => {
      const response = await fetch(`${proxy.url}/events`, {
        headers: { accept: 'text/event-stream' },
        signal: AbortSignal.timeout(300),
      });
      return response.text().catch(() => 'silent');
    };
    spoil({ do: 'silence' });
    expect(await listen()).toBe('silent');
    const response = await fetch(`${proxy.url}/events`, {
      headers: { accept: 'text/event-stream' },
    });
    const { value } = await response.body!.getReader().read();
    expect(new TextDecoder().decode(value)).toBe('data: 1\n\n');
  });

  it('is the same for a seed, and meets every kind before one comes twice', () => {
    const some = (seed: number): (Fault | null)[] => {
      const plan = seededFaults(seeded(seed), 0.5);
      return Array.from({ length: 20 }, () => plan({ method: 'POST', path: '/api/v1/sync/x' }));
    };
    expect(some(3)).toEqual(some(3));
    expect(some(3)).not.toEqual(some(4));
    expect(some(3).filter((fault) => fault === null)).toHaveLength(10);
    expect(new Set(some(3).flatMap((fault) => fault?.do ?? []))).toEqual(new Set(FAULT_KINDS));
  });
});
