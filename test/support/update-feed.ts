/** A publisher of updates on loopback, with a key of its own. */
import { generateKeyPairSync } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { signedFeed } from '../../packaging/sign-updates.ts';
import { feedName, type UpdateSource } from '../../src/main/updates/feed.ts';

export interface Offer {
  version?: string;
  bytes?: Buffer;
  /** Signs with another key than the studio knows. */
  byStranger?: boolean;
}

export interface UpdateFeed {
  source: UpdateSource;
  /** Everything that was asked for: method, path and headers that say something. */
  asked: string[];
  /** Puts a signed list and its file there. */
  publish(offer?: Offer): void;
  /** Answers: each path with its bytes. */
  files: Map<string, Buffer>;
  /** Ends the connection after so many bytes of a program. */
  cutAfter: number | undefined;
  close(): Promise<void>;
}

export const PROGRAM = 'evidence-studio.AppImage';

export async function openFeed(platform: string = process.platform): Promise<UpdateFeed> {
  const ours = generateKeyPairSync('ed25519');
  const stranger = generateKeyPairSync('ed25519');
  const name = feedName(platform, process.arch);
  const server = http.createServer((request, response) => {
    feed.asked.push(
      `${request.method} ${request.url} ${String(request.headers['x-user-staging-id'] ?? '')}`,
    );
    const bytes = feed.files.get(request.url ?? '');
    if (bytes === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-length': bytes.length });
    if (request.url !== `/${PROGRAM}` || feed.cutAfter === undefined)
      return void response.end(bytes);
    response.write(bytes.subarray(0, feed.cutAfter), () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const feed: UpdateFeed = {
    source: {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      keys: [ours.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')],
    },
    asked: [],
    files: new Map(),
    cutAfter: undefined,
    publish({ version = '0.3.1', bytes = Buffer.from('#!/bin/sh\n'), byStranger = false } = {}) {
      const key = (byStranger ? stranger : ours).privateKey;
      const list = signedFeed(name, { name: PROGRAM, bytes }, { version, key, at: new Date(0) });
      feed.files.set(`/${name}`, Buffer.from(list));
      feed.files.set(`/${PROGRAM}`, bytes);
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return feed;
}
