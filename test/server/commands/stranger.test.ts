import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { writeDiscovery } from '../../../src/server/instance/discovery.ts';
import { cli, command } from '../../support/served.ts';

const KEY = `evs_${'a'.repeat(10)}_${'b'.repeat(43)}`;

/** What the program on the port of a server that was killed may answer, to be taken for it. */
const ANSWERS: Record<string, string> = {
  'something else': '<html></html>',
  'that it is well': '{"status":"ok"}',
  'that it is another instance':
    '{"product":"evidence-studio","version":"0.3.0","instance_id":"another"}',
};

it.each(Object.keys(ANSWERS))(
  'a program that took the port of a server, and says %s, is given no key, session or link',
  async (what) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'evidence-stranger-'));
    const heard: string[] = [];
    const stranger = createServer((req, res) => {
      heard.push([req.method, req.url, JSON.stringify(req.headers)].join(' '));
      req.on('data', (chunk: Buffer) => heard.push(chunk.toString()));
      res.setHeader('Content-Type', 'application/json').end(ANSWERS[what]);
    });
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    const { port } = stranger.address() as AddressInfo;
    await cli(['key', 'create', '--name', 'mine', '--data', folder]);
    const leave = (): void =>
      writeDiscovery(folder, {
        url: `http://127.0.0.1:${port}`,
        // Alive, as the process of another program may be that has the number by now.
        pid: process.pid,
        instance_id: 'the-one-that-was-killed',
        started_at: '2026-11-24T00:00:00.000Z',
      });
    try {
      for (const [args, input] of [
        [['status'], ''],
        [['sign-in'], ''],
        [['share', 'Project'], ''],
        [['connect', 'https://evidence.invalid'], `${KEY}\n`],
      ] as const) {
        leave();
        const { code, stdout } = await command([...args, '--data', folder], {}, input);
        expect(code).toBe(1);
        expect(stdout).not.toContain(String(port));
      }
      expect(heard.filter((line) => line.startsWith('GET /.well-known/')).length).toBe(4);
      expect(heard).toHaveLength(4);
      expect(heard.join()).not.toMatch(/authorization|cookie|evs_/i);
    } finally {
      stranger.closeAllConnections();
      stranger.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
);
