import { PAGE_HEADERS, SECURITY_HEADERS } from '../server/http/headers.ts';
import { studioPolicy, type StudioFile, type StudioFiles } from '../server/pages/studio-files.ts';
import { isStudioPage } from '../shared/contract/page-addresses.ts';
import type { ElectronLike } from './electron-like.ts';
import { HOST, parseUrl, SCHEME } from './origin.ts';

/**
 * Registers what the scheme may do, before the application is ready: no bypass of the content
 * policy, no CORS, no service workers. Compiled scripts are kept from the third start on.
 */
export function registerScheme(protocol: ElectronLike['protocol']): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: SCHEME,
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
  ]);
}

export interface ProtocolPorts {
  files: StudioFiles;
  /** Passes a request to the server in this process. */
  forward(request: Request): Promise<Response>;
  /** A new nonce for the style policy of one page. */
  nonce(): string;
}

/** Longest address that is answered; the page's routes and the API's requests are far shorter. */
const MAX_URL = 4_096;

function refuse(status: 404 | 405 | 414): Response {
  return new Response(null, {
    status,
    headers: {
      ...SECURITY_HEADERS,
      ...PAGE_HEADERS,
      ...(status === 405 ? { Allow: 'GET, HEAD' } : {}),
    },
  });
}

function serve({ bytes, type, policy }: StudioFile, method: string): Response {
  const headers = {
    ...SECURITY_HEADERS,
    ...PAGE_HEADERS,
    'Content-Type': type,
    ...(policy === undefined ? {} : { 'Content-Security-Policy': policy }),
  };
  return new Response(method === 'HEAD' ? null : new Uint8Array(bytes), { headers });
}

/**
 * Answers `app://studio`: below `/api` by the server, everything else from the list of built files.
 * No path from outside reaches the file system.
 */
export function createProtocolHandler({
  files,
  forward,
  nonce,
}: ProtocolPorts): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.url.length > MAX_URL) return refuse(414);
    const url = parseUrl(request.url);
    if (
      url === undefined ||
      url.protocol !== `${SCHEME}:` ||
      url.host !== HOST ||
      url.username !== '' ||
      url.password !== ''
    )
      return refuse(404);
    const { pathname } = url;
    if (pathname.startsWith('/api/')) return forward(request);
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405);
    if (isStudioPage(pathname)) {
      const fresh = nonce();
      return serve({ ...(await files.page(fresh)), policy: studioPolicy(fresh) }, request.method);
    }
    const file = await files.file(pathname);
    return file === undefined ? refuse(404) : serve(file, request.method);
  };
}
