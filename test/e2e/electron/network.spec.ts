import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import net from 'node:net';
import path from 'node:path';
import { expect, type Page } from '@playwright/test';
import { z } from 'zod';
import { selfSigned } from '../../support/certificate.ts';
import { IN_LONG_FORM } from '../../support/length.ts';
import { fromPage, test } from './studio.ts';

const HOST = 'studio.example.org';

/** Every address that Chromium asked for or looked up, from a log of its network. */
function asked(file: string): string[] {
  const events = /"(?:url|host)":"([^"]*)"/g;
  return [
    ...new Set([...readFileSync(file, 'utf8').matchAll(events)].map(([, found]) => found ?? '')),
  ];
}

test('a start asks nobody but the studio itself', async ({ open, data }) => {
  const log = path.join(data, 'network.json');
  const { app } = await open({}, data, [`--log-net-log=${log}`]);
  expect(
    await app.evaluate(({ session }) => session.defaultSession.getSpellCheckerLanguages()),
  ).toEqual([]);
  await app.close();
  const foreign = asked(log).filter(
    (address) =>
      address !== '' &&
      !/^(?:app|chrome|devtools|data|blob):|^(?:https?:\/\/)?(?:127\.0\.0\.1|localhost|\[::1\])/.test(
        address,
      ),
  );
  expect(foreign).toEqual([]);
});

const Refused = z.object({ details: z.array(z.object({ path: z.string(), code: z.string() })) });
async function whyNot(page: Page, url: string): Promise<string> {
  const { value } = await fromPage(page, 'PUT', 'uplink', { url, key: await keyLike(page) });
  return Refused.parse(value).details[0]?.code ?? '';
}
/** A key of the right form, which no server knows. */
async function keyLike(page: Page): Promise<string> {
  const made = await fromPage<{ key: string }>(page, 'POST', 'keys', {
    name: 'form',
    scopes: ['read'],
  });
  expect(made.status).toBe(201);
  return made.value.key;
}

test(
  'the exchange goes through the system’s proxy and believes the certificates that the system believes',
  IN_LONG_FORM,
  async ({ open, elsewhere }) => {
    test.setTimeout(180_000);
    const certificate = selfSigned(HOST);
    const hosted = https.createServer(certificate, (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>another server</p>'),
    );
    const tunnels: string[] = [];
    const sockets = new Set<{ destroy(): void }>();
    const proxy = http.createServer().on('connect', (request, socket, head) => {
      tunnels.push(request.url ?? '');
      const through = net.connect((hosted.address() as AddressInfo).port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        through.write(head);
        through.pipe(socket).pipe(through);
      });
      through.on('error', () => socket.destroy());
      socket.on('error', () => through.destroy());
      sockets.add(socket);
    });
    try {
      for (const server of [hosted, proxy])
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const env = { https_proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
      expect(await whyNot((await open(env, elsewhere)).page, `https://${HOST}`)).toBe(
        'certificate_untrusted',
      );
      expect(new Set(tunnels)).toEqual(new Set([`${HOST}:443`]));
      const { app, page } = await open(env);
      // What an authority in the system's store does.
      await app.evaluate(({ session }) =>
        session
          .fromPartition('exchange')
          .setCertificateVerifyProc((_request, callback) => callback(0)),
      );
      expect(await whyNot(page, `https://${HOST}`)).toBe('not_the_server');
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
      expect(await whyNot(page, `https://${HOST}`)).toBe('proxy');
    } finally {
      for (const server of [hosted, proxy]) {
        server.closeAllConnections();
        server.close();
      }
    }
  },
);
