import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const ROOM = new URL('../../../src/server/network/node-fetch.ts', import.meta.url).href;

async function listening(listener: RequestListener): Promise<{ url: string; close(): void }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * What a process of its own prints that asks by `nodeFetch` and, late, reads the answer. Something in
 * it has used Node's own `fetch` before, as a package may.
 */
async function asked(url: string, env: NodeJS.ProcessEnv, ...options: string[]): Promise<string> {
  const program = `
    await (await fetch('data:,before')).text();
    const { nodeFetch } = await import(${JSON.stringify(ROOM)});
    const answer = await nodeFetch(${JSON.stringify(url)}, { headers: { connection: 'close' } });
    await new Promise((after) => setTimeout(after, 100));
    console.log((await answer.arrayBuffer()).byteLength);`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...options, '--input-type=module', '--eval', program],
    { env: { PATH: process.env.PATH, ...env } },
  );
  return stdout.trim();
}

describe('the fetch of the server', () => {
  const size = 300_000;
  const bytes = randomBytes(size);

  for (const [form, body, headers] of [
    ['plain', bytes, {}],
    ['compressed', gzipSync(bytes), { 'content-encoding': 'gzip' }],
  ] as const)
    it(`reads a ${form} answer whose server has closed the connection before it is read`, async () => {
      const server = await listening((_, response) => {
        response.writeHead(200, { ...headers, 'content-length': body.length, connection: 'close' });
        response.end(body);
      });
      expect(await asked(server.url, {})).toBe(String(size));
      server.close();
    });

  it('fails in its promise where a server closes in the middle of an answer', async () => {
    const server = await listening((_, response) => {
      response.writeHead(200, { 'content-length': size, connection: 'close' });
      response.write(bytes.subarray(0, size / 2), () => response.socket?.end());
    });
    await expect(asked(server.url, {})).rejects.toThrow(/TypeError: terminated/);
    server.close();
  });

  it('takes proxies from the environment as Node is told to', async () => {
    const server = await listening((_, response) => response.end('itself'));
    const proxy = await listening((request, response) => response.end(`for ${request.url}`));
    const HTTP_PROXY = proxy.url;
    const through = String(`for ${server.url}/`.length);
    expect(await asked(server.url, { HTTP_PROXY })).toBe('6');
    expect(await asked(server.url, { HTTP_PROXY, NODE_USE_ENV_PROXY: '1' })).toBe(through);
    expect(await asked(server.url, { HTTP_PROXY, NODE_OPTIONS: '--use-env-proxy' })).toBe(through);
    expect(await asked(server.url, { HTTP_PROXY }, '--use-env-proxy')).toBe(through);
    expect(
      await asked(server.url, { HTTP_PROXY, NODE_USE_ENV_PROXY: '1', NO_PROXY: '127.0.0.1' }),
    ).toBe('6');
    server.close();
    proxy.close();
  });
});
