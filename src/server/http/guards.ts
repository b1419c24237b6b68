import type { IncomingMessage } from 'node:http';
import { SERVER_PAGES } from '../../shared/contract/page-addresses.ts';
import { SHARD_HEADER } from '../auth/shard.ts';
import type { Home } from '../../shared/contract/v1/account.ts';
import { ApiError } from '../context/errors.ts';
import type { RequestContext } from '../context/request.ts';
import { isOtherUser } from './peer-user.ts';

/**
 * Headers that a request may carry only once. Of two Host or Authorization headers Node silently
 * takes the first.
 */
const SINGLE = new Set([
  'host',
  'authorization',
  'content-type',
  'content-encoding',
  'origin',
  'idempotency-key',
  'sec-fetch-site',
  'sync-witness',
  'sync-user',
  'if-match',
  'if-none-match',
  'cookie',
  SHARD_HEADER,
]);
export const MAX_HEADERS = 64;

/** The hosts that this server answers for, and the one origin that belongs to each. */
export interface Site {
  hosts: ReadonlySet<string>;
  originOf(host: string): string;
}

/** `origin` is that of the desktop window's pages, a scheme of its own. */
export const IN_PROCESS_SITE: Site = { hosts: new Set(['studio']), originOf: () => 'app://studio' };

/** Literal address in URLs: IPv6 in brackets. */
export function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

export function localSite(host: string, port: number): Site {
  const suffix = port === 80 ? '' : `:${port}`;
  const names = host === '::1' ? ['[::1]', 'localhost'] : ['127.0.0.1', 'localhost'];
  return {
    hosts: new Set(names.flatMap((name) => [`${name}${suffix}`, `${name}:${port}`])),
    originOf: (name) => `http://${name}`,
  };
}

/** With the port that its scheme means, too: HTTP/2 of Node writes it. */
export function publicSite(url: URL): Site {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : url.port;
  return { hosts: new Set([url.host, `${url.hostname}:${port}`]), originOf: () => url.origin };
}

function checkTransport(req: IncomingMessage): void {
  const { rawHeaders } = req;
  if (rawHeaders.length > 2 * MAX_HEADERS) throw new ApiError('headers_too_large');
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    if (SINGLE.has(name) && seen.has(name))
      throw new ApiError('invalid_request', {
        message: 'A header that may be given once is given twice.',
      });
    seen.add(name);
  }
  if (!seen.has('host'))
    throw new ApiError('invalid_request', { message: 'A request names one Host.' });
  if (!req.url?.startsWith('/'))
    throw new ApiError('invalid_request', { message: 'The request target is a path.' });
  if (req.url.includes('#'))
    throw new ApiError('invalid_request', { message: 'The request target has no fragment.' });
  const expect = req.headers.expect;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue')
    throw new ApiError('invalid_request', { message: 'This expectation is not met here.' });
}

function checkOrigin({ req, method, path }: RequestContext, own: string): void {
  const { origin } = req.headers;
  if (origin !== undefined && origin !== own) throw new ApiError('origin_not_allowed');
  const from = req.headers['sec-fetch-site'];
  if (from === undefined || from === 'same-origin' || from === 'none') return;
  // Following a link to a page is harmless; anything else that a foreign page starts is not. A
  // sign-in link is opened from outside a browser only.
  const opensPage =
    method === 'GET' &&
    req.headers['sec-fetch-mode'] === 'navigate' &&
    req.headers['sec-fetch-dest'] === 'document';
  if (!opensPage || path.startsWith('/api/') || path === SERVER_PAGES.signIn)
    throw new ApiError('origin_not_allowed');
}

const KEY = /evs_[0-9A-Za-z]{10}_/;
function checkUrl(url: string): void {
  let decoded = url;
  try {
    decoded = decodeURIComponent(url);
  } catch {
    // A path that cannot be decoded is refused at a later step.
  }
  if (KEY.test(url) || KEY.test(decoded)) throw new ApiError('key_in_url');
}

/** The checks before credentials are looked at: transport, Host, Origin, key in the URL. */
export function guard(context: RequestContext, site: Site): void {
  const { req } = context;
  checkTransport(req);
  const host = (req.headers.host ?? '').toLowerCase();
  if (!site.hosts.has(host)) throw new ApiError('host_not_allowed');
  checkOrigin(context, site.originOf(host));
  checkUrl(req.url ?? '');
}

const LOOPBACK = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/i;
/** What no program sends unless it is a browser; `sec-fetch-mode` is also sent by that of Node. */
const FROM_BROWSERS = ['origin', 'cookie', 'sec-fetch-site', 'sec-fetch-dest'];
/** What a proxy adds: who asks is not who connects. */
const FORWARDING = ['forwarded', 'x-forwarded-for', 'via'];

/**
 * Lets through what a program on this computer asks by itself. Every browser names the origin of
 * what a page sends, or says by fetch metadata where it comes from; our own pages have other ways.
 */
export function requireProgramHere({ req }: RequestContext, home: Home): void {
  if (home === 'hosted')
    throw new ApiError('conflict', {
      message:
        'This is a hosted server: it lets no program in by pairing. A person makes its key on the account page.',
    });
  const has = (names: readonly string[]): boolean =>
    names.some((name) => req.headers[name] !== undefined);
  if (has(FROM_BROWSERS))
    throw new ApiError('origin_not_allowed', {
      message: 'Pairing is for programs; a page of a browser cannot ask for it.',
    });
  if (!LOOPBACK.test(req.socket.remoteAddress ?? '') || has(FORWARDING))
    throw new ApiError('origin_not_allowed', {
      message: 'Pairing is for programs on the computer that this studio runs on.',
    });
  if (isOtherUser(req.socket))
    throw new ApiError('origin_not_allowed', {
      message: 'Pairing is for programs of the person whose studio this is.',
    });
}
