import { isIP } from 'node:net';
import type { TimeStampSettings } from '../context/deps.ts';
import { hostOf, isPublicAddress, PrivateAddress, publicLookup } from '../notices/addresses.ts';
import { ANSWER_MS } from '../notices/looking.ts';

// As in node-server.ts: an import would load the client of `fetch`.
const { request: requestHttp } = process.getBuiltinModule('node:http');
const { request: requestHttps } = process.getBuiltinModule('node:https');

/** The longest answer: a token with the certificates of its authority. */
const MOST_BYTES = 48_000;

/** What an authority answered. */
export interface Answer {
  status: number;
  type: string;
  bytes: Uint8Array;
}

/**
 * Sends a request to an authority (RFC 3161, 3.4) and resolves with its answer. It follows no
 * redirect.
 */
export function askAuthority(
  request: Uint8Array,
  { url: text, mayBePrivate }: NonNullable<TimeStampSettings['authority']>,
): Promise<Answer> {
  const url = new URL(text);
  const host = hostOf(url);
  if (!mayBePrivate && isIP(host) !== 0 && !isPublicAddress(host))
    return Promise.reject(new PrivateAddress());
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const asked = send(
    url,
    {
      method: 'POST',
      agent: false,
      signal: AbortSignal.timeout(ANSWER_MS),
      ...(!mayBePrivate && { lookup: publicLookup }),
      headers: {
        'content-type': 'application/timestamp-query',
        'content-length': request.byteLength,
        'user-agent': 'EvidenceStudio',
      },
    },
    (answer) => {
      const pieces: Buffer[] = [];
      let length = 0;
      answer.on('data', (piece: Buffer) => {
        length += piece.length;
        if (length > MOST_BYTES) answer.destroy(new Error('The answer is too long.'));
        else pieces.push(piece);
      });
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          type: answer.headers['content-type'] ?? '',
          bytes: Buffer.concat(pieces),
        }),
      );
    },
  );
  asked.on('error', reject);
  asked.end(request);
  return promise;
}
