/** Who receives notices: a program at the end of webhooks, and a mail relay, on real sockets. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver extends AsyncDisposable {
  url: string;
  received: Received[];
  /** The status of the next answers; 200 once there is none. `silent`: it does not answer. */
  answers: (number | 'silent' | Promise<number>)[];
  /** Resolves once it has received so many. */
  until(count: number): Promise<void>;
}

/** Resolves as soon as `isThere` says so, asked after each arrival. */
class Arrivals {
  #waiting: (() => void)[] = [];
  arrived(): void {
    for (const go of this.#waiting.splice(0)) go();
  }
  async until(isThere: () => boolean): Promise<void> {
    while (!isThere()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const answers: Receiver['answers'] = [];
  const arrivals = new Arrivals();
  const server = createServer((req, res) => {
    let body = '';
    req.on('data', (piece: Buffer) => (body += piece.toString()));
    req.on('end', () => {
      received.push({ headers: req.headers, body });
      const next = answers.shift() ?? 200;
      const answer = (status: number): unknown =>
        res.writeHead(status, status === 302 ? { location: '/other' } : {}).end();
      if (typeof next === 'number') answer(next);
      else if (next !== 'silent') void next.then(answer);
      arrivals.arrived();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answers,
    until: (count) => arrivals.until(() => received.length >= count),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export interface Relay extends AsyncDisposable {
  url: string;
  /** Each letter with whom it is for, as it came. */
  letters: { to: string[]; text: string }[];
  /** How many of the next letters are refused for now. */
  refusals: number;
  until(count: number): Promise<void>;
}

export async function startRelay(): Promise<Relay> {
  const arrivals = new Arrivals();
  const relay: Relay = {
    url: '',
    letters: [],
    refusals: 0,
    until: (count) => arrivals.until(() => relay.letters.length >= count),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      let text = '';
      stream.on('data', (piece: Buffer) => (text += piece.toString()));
      stream.on('end', () => {
        if (relay.refusals > 0) {
          relay.refusals -= 1;
          done(Object.assign(new Error('try again'), { responseCode: 451 }));
        } else {
          relay.letters.push({ to: session.envelope.rcptTo.map(({ address }) => address), text });
          done();
        }
        arrivals.arrived();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  relay.url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  return relay;
}
