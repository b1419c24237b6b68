/** Stands before a server, passes everything on, and keeps what was asked and answered. */
import { createServer, request as ask, type IncomingMessage, type Server } from 'node:http';
import { gunzipSync } from 'node:zlib';

export interface Exchanged {
  method: string;
  path: string;
  /** Those that decide about the answer. */
  headers: Record<string, string>;
  /** As it was sent, in base64. */
  body: string;
  status: number;
  answer: unknown;
}

const KEPT = ['authorization', 'content-type', 'content-encoding', 'if-none-match'];

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** JSON as what it says, all else by its length. */
export function read(type: string | undefined, body: Buffer): unknown {
  if (type?.startsWith('application/json') !== true) return body.length;
  return body.length === 0 ? null : JSON.parse(body.toString());
}

export class Recorder implements AsyncDisposable {
  readonly exchanged: Exchanged[] = [];
  isRecording = false;
  readonly #target: number;
  readonly #server: Server;

  constructor(target: number) {
    this.#target = target;
    this.#server = createServer((incoming, outgoing) => {
      void bytesOf(incoming).then((body) => {
        const onward = ask(
          {
            host: '127.0.0.1',
            port: this.#target,
            method: incoming.method,
            path: incoming.url,
            headers: incoming.headers,
          },
          (answer) => {
            outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
            answer.pipe(outgoing);
            answer.once('error', () => outgoing.destroy());
            this.#keep(incoming, body, answer);
          },
        );
        onward.once('error', () => outgoing.destroy());
        outgoing.once('close', () => onward.destroy());
        onward.end(body);
      });
    });
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve) => void this.#server.listen(port, '127.0.0.1', resolve));
  }

  #keep(incoming: IncomingMessage, body: Buffer, answer: IncomingMessage): void {
    const type = answer.headers['content-type'];
    const isStudio = incoming.headers.authorization !== undefined;
    if (!this.isRecording || !isStudio || type?.startsWith('text/event-stream') === true) return;
    const kept: Exchanged = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: Object.fromEntries(
        KEPT.flatMap((name) => {
          const value = incoming.headers[name];
          return typeof value === 'string' ? [[name, value]] : [];
        }),
      ),
      body: body.toString('base64'),
      status: answer.statusCode ?? 0,
      answer: null,
    };
    this.exchanged.push(kept);
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => void chunks.push(chunk));
    answer.once('end', () => {
      const whole = Buffer.concat(chunks);
      const isPacked = answer.headers['content-encoding'] === 'gzip';
      kept.answer = read(type, isPacked ? gunzipSync(whole) : whole);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
