import { createHmac } from 'node:crypto';
import { isIP } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { NoticeSettings } from '../context/deps.ts';
import type { DueNotice } from '../storage/notices/due.ts';
import { hostOf, isPublicAddress, PrivateAddress, publicLookup } from './addresses.ts';
import { ANSWER_MS } from './looking.ts';

// As in node-server.ts: an import would load the client of `fetch`.
const { request: requestHttp } = process.getBuiltinModule('node:http');
const { request: requestHttps } = process.getBuiltinModule('node:https');

/** The secret of a webhook follows from the server's: it is nowhere stored, and shown once. */
export const webhookSecret = (hmacSecret: Uint8Array, subscriptionId: string): string =>
  `whsec_${createHmac('sha256', hmacSecret).update(`webhook's secret 1 ${subscriptionId}`).digest('base64')}`;

/** Why notices cannot be sent to this address; undefined where they can. */
export function webhookProblem(
  text: string,
  reach: NoticeSettings['webhooks'],
): string | undefined {
  const url = URL.parse(text);
  if (url === null) return 'Must be an address.';
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    return 'Must be an address without user, password and fragment.';
  if (url.protocol !== 'https:' && !(reach === 'any' && url.protocol === 'http:'))
    return 'Must be an https address.';
  const host = hostOf(url);
  return reach !== 'any' && isIP(host) !== 0 && !isPublicAddress(host)
    ? 'Must be an address on the internet.'
    : undefined;
}

interface Sending {
  url: string;
  secret: string;
  /** Milliseconds since 1970. */
  now: number;
  reach: NoticeSettings['webhooks'];
}

/**
 * What a notice says. It names places and says nothing of what is recorded or written there: where
 * it goes, others may read it.
 */
const contentOf = ({ event, created_at, case_uid, thread_id, who }: DueNotice): string =>
  JSON.stringify({
    type: event,
    timestamp: created_at,
    data: {
      case_uid,
      ...(thread_id !== '' && { thread_id }),
      ...(who !== '' && { waits_for: who }),
    },
  });

/** Sends a notice and resolves with the status of the answer. It follows no redirect. */
export function sendWebhook(
  notice: DueNotice,
  { url: text, secret, now, reach }: Sending,
): Promise<number> {
  const problem = webhookProblem(text, reach);
  if (problem !== undefined) return Promise.reject(new PrivateAddress());
  const url = new URL(text);
  const body = contentOf(notice);
  const at = new Date(now);
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const asked = send(
    url,
    {
      method: 'POST',
      agent: false,
      signal: AbortSignal.timeout(ANSWER_MS),
      ...(reach !== 'any' && { lookup: publicLookup }),
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'EvidenceStudio',
        'webhook-id': notice.notice_id,
        'webhook-timestamp': String(Math.floor(now / 1_000)),
        'webhook-signature': new Webhook(secret).sign(notice.notice_id, at, body),
      },
    },
    (answer) => {
      // What it says besides its status is nothing to us.
      answer.destroy();
      resolve(answer.statusCode ?? 0);
    },
  );
  asked.on('error', reject);
  asked.end(body);
  return promise;
}
