/**
 * An HTTP proxy between any two that spoils what a script, or a seed, tells it to. It knows nothing
 * of what is said.
 */
import http, {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type Random, seeded } from './random.ts';

export type Fault =
  /**
   * The first `at` bytes of the answer, head and all, then the end. At 0 the answer is lost after
   * the work was done.
   */
  | { do: 'cut answer'; at: number }
  /** The first `at` bytes of the request reach the server, then both sides end. */
  | { do: 'cut request'; at: number }
  /** Nothing reaches the server. */
  | { do: 'drop' }
  /** The server gets the request twice, one after the other; the second answer is passed on. */
  | { do: 'twice' }
  /** The client is cut off at once; the server gets the request after `by` later ones. */
  | { do: 'late'; by: number }
  | { do: 'refuse'; status: number; retryAfter?: string }
  /** What a guest network's sign-in page answers. */
  | { do: 'html' }
  | { do: 'redirect'; to: string }
  /** The answer compressed, with a byte of it turned over. */
  | { do: 'bad gzip' }
  /** A byte of the body turned over. */
  | { do: 'flip'; at: number }
  /** The first `at` bytes, and then nothing, with the connection open. */
  | { do: 'stall'; at: number }
  /** An event stream that opens and never says anything. */
  | { do: 'silence' };

export interface Seen {
  method: string;
  path: string;
  fault: Fault['do'] | null;
  /** Of the server's answer; null where none came. */
  status: number | null;
  /** Bytes of the answer, head and all. */
  bytes: number;
  requestBytes: number;
}

/** What becomes of a request; null: nothing. */
export type Plan = (request: { method: string; path: string }) => Fault | null;

export interface FaultProxy extends AsyncDisposable {
  readonly url: string;
  /** Where requests go; a server that was started again may be elsewhere. */
  target: string;
  plan: Plan;
  /** Nobody answers. */
  down: boolean;
  /** Added to each request, over what the client sent. */
  headers: OutgoingHttpHeaders;
  readonly seen: Seen[];
  /** How many of its requests were spoiled, by what. */
  spoiled(): Map<Fault['do'], number>;
  /** Delivers what is held back. */
  deliverLate(): Promise<void>;
  close(): Promise<void>;
}

interface Sent {
  method: string;
  path: string;
  headers: OutgoingHttpHeaders;
  body: Buffer;
}
interface Answer {
  status: number;
  message: string;
  headers: [string, string][];
  body: Buffer;
}

const HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length']);

function headBytes(answer: Answer): Buffer {
  const lines = [
    ...answer.headers.map(([name, value]) => `${name}: ${value}`),
    `content-length: ${answer.body.length}`,
  ];
  return Buffer.from(
    `HTTP/1.1 ${answer.status} ${answer.message}\r\n${lines.join('\r\n')}\r\n\r\n`,
    'latin1',
  );
}

function pairs(raw: readonly string[]): [string, string][] {
  const headers: [string, string][] = [];
  for (let at = 0; at < raw.length; at += 2)
    if (!HOP.has((raw[at] ?? '').toLowerCase())) headers.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return headers;
}

function turnedOver(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  if (copy.length > 0) copy[at % copy.length] = (copy[at % copy.length] ?? 0) ^ 0x10;
  return copy;
}

/** `local` may answer a request by itself, for pages that are not the server's. */
export async function startProxy(
  target: string,
  local: (request: IncomingMessage, response: ServerResponse) => boolean = () => false,
): Promise<FaultProxy> {
  const held: { sent: Sent; by: number }[] = [];
  const sockets = new Set<Socket>();
  const streams = new Set<http.ClientRequest>();

  function open(
    sent: Sent,
    onAnswer: (answer: IncomingMessage) => void,
    onError: (error: Error) => void,
  ): http.ClientRequest {
    const url = new URL(proxy.target);
    const request = http.request(
      {
        host: url.hostname,
        port: url.port,
        method: sent.method,
        path: sent.path,
        headers: { ...sent.headers, host: url.host, 'content-length': sent.body.length },
        agent: false,
      },
      onAnswer,
    );
    request.once('error', onError);
    request.end(sent.body);
    return request;
  }

  /**
   * The whole answer; undefined where the server gave none. An event stream answers only its head.
   */
  function ask(sent: Sent): Promise<Answer | undefined> {
    return new Promise((resolve) => {
      open(
        sent,
        (answer) => {
          const parts: Buffer[] = [];
          const done = (): void =>
            resolve({
              status: answer.statusCode ?? 0,
              message: answer.statusMessage ?? '',
              headers: pairs(answer.rawHeaders),
              body: Buffer.concat(parts),
            });
          answer.on('data', (part: Buffer) => parts.push(part));
          answer.once('end', done);
          answer.once('error', () => resolve(undefined));
        },
        () => resolve(undefined),
      );
    });
  }

  /** An event stream, passed on as it comes. */
  function stream(sent: Sent, response: ServerResponse, silent: boolean): void {
    const request = open(
      sent,
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, Object.fromEntries(pairs(answer.rawHeaders)));
        response.flushHeaders();
        if (silent) answer.resume();
        else answer.pipe(response);
        answer.once('error', () => response.destroy());
        answer.once('close', () => response.destroy());
      },
      () => response.destroy(),
    );
    streams.add(request);
    response.once('close', () => {
      request.destroy();
      streams.delete(request);
    });
  }

  /** Part of a request, as a client leaves it that dies while sending. */
  function sendPart(sent: Sent, at: number): Promise<void> {
    const url = new URL(proxy.target);
    const head = Object.entries({
      ...sent.headers,
      host: url.host,
      'content-length': sent.body.length,
    }).map(([name, value]) => `${name}: ${String(value)}`);
    const bytes = Buffer.concat([
      Buffer.from(`${sent.method} ${sent.path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`, 'latin1'),
      sent.body,
    ]);
    return new Promise((resolve) => {
      const socket = connect(Number(url.port), url.hostname, () =>
        socket.end(bytes.subarray(0, at)),
      );
      socket.once('error', () => resolve());
      socket.once('close', () => resolve());
      socket.resume();
    });
  }

  async function deliver(due: (one: { by: number }) => boolean): Promise<void> {
    for (const one of held.filter(due)) {
      held.splice(held.indexOf(one), 1);
      await ask(one.sent);
    }
  }

  /** Writes bytes past the response object: what is half an answer to HTTP is no answer to Node. */
  function writeRaw(response: ServerResponse, bytes: Buffer, end: boolean): void {
    const { socket } = response;
    socket?.write(bytes, () => {
      if (end) socket.destroySoon();
    });
    if (bytes.length === 0 && end) socket?.destroy();
  }

  function pass(response: ServerResponse, answer: Answer | undefined): void {
    if (answer === undefined) response.socket?.destroy();
    else {
      response.writeHead(answer.status, answer.message, [
        ...answer.headers.flat(),
        ...(answer.status === 304 || answer.status === 204
          ? []
          : ['content-length', String(answer.body.length)]),
      ]);
      response.end(answer.body);
    }
  }

  async function spoil(
    fault: Fault,
    sent: Sent,
    response: ServerResponse,
    entry: Seen,
  ): Promise<void> {
    const note = (answer: Answer | undefined): Answer | undefined => {
      entry.status = answer?.status ?? null;
      entry.bytes = answer === undefined ? 0 : headBytes(answer).length + answer.body.length;
      return answer;
    };
    switch (fault.do) {
      case 'cut answer':
      case 'stall': {
        const answer = note(await ask(sent));
        if (answer === undefined) response.socket?.destroy();
        else
          writeRaw(
            response,
            Buffer.concat([headBytes(answer), answer.body]).subarray(0, fault.at),
            fault.do === 'cut answer',
          );
        return;
      }
      case 'cut request':
        await sendPart(sent, fault.at);
        response.socket?.destroy();
        return;
      case 'drop':
        response.socket?.destroy();
        return;
      case 'twice':
        await ask(sent);
        pass(response, note(await ask(sent)));
        return;
      case 'late':
        held.push({ sent, by: fault.by });
        response.socket?.destroy();
        return;
      case 'refuse':
        response.writeHead(fault.status, {
          'content-type': 'application/json',
          ...(fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter }),
        });
        response.end(
          JSON.stringify({
            error: fault.status === 429 ? 'rate_limited' : 'unavailable',
            message: 'Later.',
            details: [],
            request_id: null,
          }),
        );
        return;
      case 'html':
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end('<!doctype html><title>Guest network</title><form><input name="room"></form>');
        return;
      case 'redirect':
        response.writeHead(302, { location: fault.to }).end();
        return;
      case 'bad gzip': {
        const answer = note(await ask(sent));
        if (answer === undefined) return pass(response, answer);
        const body = gzipSync(answer.body);
        return pass(response, {
          ...answer,
          headers: [
            ...answer.headers.filter(([name]) => name.toLowerCase() !== 'content-encoding'),
            ['content-encoding', 'gzip'],
          ],
          body: turnedOver(body, Math.max(12, Math.floor(body.length / 2))),
        });
      }
      case 'flip': {
        const answer = note(await ask(sent));
        return pass(response, answer && { ...answer, body: turnedOver(answer.body, fault.at) });
      }
      case 'silence':
        stream(sent, response, true);
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (proxy.down) return void request.socket.destroy();
    if (local(request, response)) return;
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const headers: OutgoingHttpHeaders = { ...request.headers };
    for (const name of HOP) Reflect.deleteProperty(headers, name);
    // The server must take the client for one of its own pages, whatever port that came through.
    if (headers.origin === proxy.url) headers.origin = new URL(proxy.target).origin;
    Reflect.deleteProperty(headers, 'referer');
    const sent: Sent = {
      method: request.method ?? 'GET',
      path: request.url ?? '/',
      headers: { ...headers, ...proxy.headers },
      body: Buffer.concat(parts),
    };
    const fault = proxy.plan({ method: sent.method, path: sent.path });
    const entry: Seen = {
      method: sent.method,
      path: sent.path,
      fault: fault?.do ?? null,
      status: null,
      bytes: 0,
      requestBytes: sent.body.length,
    };
    proxy.seen.push(entry);
    for (const one of held) one.by -= 1;
    if (fault !== null) await spoil(fault, sent, response, entry);
    else if (request.headers.accept?.includes('text/event-stream') === true)
      stream(sent, response, false);
    else {
      const answer = await ask(sent);
      entry.status = answer?.status ?? null;
      entry.bytes = answer === undefined ? 0 : headBytes(answer).length + answer.body.length;
      pass(response, answer);
    }
    await deliver((one) => one.by <= 0);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const proxy: FaultProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target,
    plan: () => null,
    down: false,
    headers: {},
    seen: [],
    spoiled() {
      const counts = new Map<Fault['do'], number>();
      for (const { fault } of proxy.seen)
        if (fault !== null) counts.set(fault, (counts.get(fault) ?? 0) + 1);
      return counts;
    },
    deliverLate: () => deliver(() => true),
    async close() {
      for (const request of streams) request.destroy();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
    [Symbol.asyncDispose]: () => proxy.close(),
  };
  return proxy;
}

type Dice = (random: Random) => Fault;
/** Waits that a server asks for are none, or too absurd to be taken at their word. */
const DECK: readonly Dice[] = [
  () => ({ do: 'cut answer', at: 0 }),
  (random) => ({ do: 'cut answer', at: random.int(600) }),
  (random) => ({ do: 'cut request', at: random.int(900) }),
  () => ({ do: 'drop' }),
  () => ({ do: 'twice' }),
  (random) => ({ do: 'late', by: 1 + random.int(4) }),
  (random) => ({
    do: 'refuse',
    status: random.pick([429, 500, 502, 503]),
    retryAfter: random.pick(['0', '-1', 'soon', 'Thu, 01 Jan 1970 00:00:00 GMT', '']),
  }),
  () => ({ do: 'html' }),
  () => ({ do: 'redirect', to: 'http://127.0.0.1:9/elsewhere' }),
  () => ({ do: 'bad gzip' }),
];
/** What `seededFaults` does to requests. */
export const FAULT_KINDS: readonly Fault['do'][] = [
  ...new Set(DECK.map((dice) => dice(seeded(0)).do)),
];

/**
 * As a seed has it, faults for this share of the requests that `path` fits: dealt from a shuffled
 * deck, so that every kind is met before one comes twice.
 */
export function seededFaults(
  random: Random,
  share: number,
  path: RegExp = /\/api\/v1\/sync\//,
): Plan {
  const cards: (Dice | null)[] = [];
  return (request) => {
    if (!path.test(request.path)) return null;
    if (request.path.endsWith('/events')) return random.chance(share) ? { do: 'silence' } : null;
    if (cards.length === 0)
      cards.push(
        ...DECK,
        ...Array.from({ length: Math.round(DECK.length / share) - DECK.length }, () => null),
      );
    const [card] = cards.splice(random.int(cards.length), 1);
    return card?.(random) ?? null;
  };
}
