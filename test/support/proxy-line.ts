import { once } from 'node:events';
import http2, {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
} from 'node:http2';
import net from 'node:net';
import tls from 'node:tls';
import { HOST_NAME, type ReverseProxy } from './reverse-proxies.ts';
import type { CallOptions, TestAnswer, TestServer } from './server.ts';

export const ORIGIN = `https://${HOST_NAME}`;
/** A client of this machine who is not the proxy, and an address that it makes up. */
export const CLIENT = '127.0.0.2';
const FORGED = '198.51.100.7';

/** What a browser has of one proxy: a connection over HTTP/2, from an address of its own. */
export class Line implements Pick<TestServer, 'url' | 'call'> {
  readonly url = ORIGIN;
  readonly session: ClientHttp2Session;

  constructor({ port, ca }: ReverseProxy, localAddress = CLIENT) {
    this.session = http2.connect(ORIGIN, {
      createConnection: () =>
        tls.connect({
          socket: net.connect({ host: '127.0.0.1', port, localAddress }),
          servername: HOST_NAME,
          ca,
          ALPNProtocols: ['h2'],
        }),
    });
    this.session.on('error', () => undefined);
  }

  open(
    method: string,
    target: string,
    headers: Record<string, string> = {},
    endStream = false,
  ): ClientHttp2Stream {
    return this.session.request(
      { ':method': method, ':path': target, 'x-forwarded-for': FORGED, ...headers },
      { endStream },
    );
  }
  async call(
    method: string,
    target: string,
    { body, raw, headers }: CallOptions = {},
  ): Promise<TestAnswer> {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const typed = { ...(sent !== undefined && { 'content-type': 'application/json' }), ...headers };
    const stream = this.open(method, target, typed, sent === undefined);
    if (sent !== undefined) stream.end(sent);
    const head = (await once(stream, 'response'))[0] as IncomingHttpHeaders & { ':status': number };
    let text = '';
    stream.setEncoding('utf8').on('data', (part: string) => (text += part));
    await once(stream, 'end');
    const given = Object.entries(head)
      .filter(([name]) => !name.startsWith(':'))
      .flatMap(([name, value]) => [value ?? []].flat().map((one): [string, string] => [name, one]));
    const isJson = head['content-type']?.startsWith('application/json') === true && text !== '';
    return {
      status: head[':status'],
      headers: new Headers(given),
      text,
      body: isJson ? JSON.parse(text) : undefined,
    };
  }
}
