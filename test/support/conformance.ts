import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Json } from './json.ts';

/** The official suite; npm fetches it at its first use, since only the long form needs it. */
const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';

export interface Check {
  scenario: string;
  id: string;
  status: string;
  message: string;
  /** It could not be asked, since a tool that the suite brings along is missing. */
  isUntestable: boolean;
}

/** What the suite says of a server. `args`: which scenarios, of which revision. */
export async function runConformance(url: string, args: readonly string[]): Promise<Check[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'evidence-conformance-'));
  try {
    const command = ['exec', '--yes', `--package=${SUITE}`, '--', 'conformance', 'server'];
    const ran = await promisify(execFile)(
      'npm',
      [...command, '--url', `${url}/mcp`, '-o', folder, ...args],
      {
        cwd: folder,
        maxBuffer: 2 ** 26,
        env: { ...process.env, PATH: `${path.dirname(process.execPath)}:${process.env.PATH}` },
      },
      // It ends with 1 where any check fails; what it wrote tells which.
    ).catch((error: { stdout?: string; stderr?: string }) => error);
    const checks = await Promise.all(
      (await readdir(folder))
        .filter((name) => name.startsWith('server-'))
        .map((name) => checksOf(folder, name)),
    );
    if (checks.length === 0) throw new Error(`The suite did not run: ${ran.stdout}${ran.stderr}`);
    return checks.flat();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function checksOf(folder: string, name: string): Promise<Check[]> {
  const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(name)?.[1] ?? name;
  const checks = JSON.parse(await readFile(path.join(folder, name, 'checks.json'), 'utf8'));
  return checks.map(({ id, status, errorMessage = '', details }: Json) => ({
    scenario,
    id,
    status,
    message: errorMessage,
    isUntestable: details?.untestable === true,
  }));
}

/** A server on a free port of the loopback address. */
async function listen(server: Server): Promise<{ url: string; close(): void }> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * A studio as the suite can ask it: it sends no key. Names and origins of this address become those
 * of the studio; any others go through as they are.
 */
export async function withKey(
  studio: string,
  key: string,
): Promise<{ url: string; close(): void }> {
  const { host, hostname, port } = new URL(studio);
  const server = createServer((asked, answer) => {
    const own = `localhost:${asked.socket.localPort}`;
    const headers = { ...asked.headers, authorization: `Bearer ${key}` };
    if (headers.host === own) headers.host = host;
    if (headers.origin === `http://${own}`) headers.origin = `http://${host}`;
    const { method, url } = asked;
    const sent = request({ hostname, port, method, path: url, headers }, (received) => {
      answer.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(answer);
    });
    sent.once('error', () => answer.destroy());
    answer.once('close', () => sent.destroy());
    asked.pipe(sent);
  });
  return listen(server);
}

/** A process that speaks the protocol over standard input and output: one request at a time. */
class Conversation {
  readonly #child;
  readonly #waiting = new Map<unknown, (line: string) => void>();
  constructor(program: readonly string[]) {
    const [command = '', ...args] = program;
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const { id } = JSON.parse(line);
      this.#waiting.get(id)?.(line);
      this.#waiting.delete(id);
    });
  }
  /** The answer; undefined to a notification, which has none. */
  ask(message: Json): Promise<string | undefined> {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
    if (message.id === undefined) return Promise.resolve(undefined);
    return new Promise((resolve) => this.#waiting.set(message.id, resolve));
  }
  end(): void {
    this.#child.kill('SIGKILL');
  }
}

/**
 * The command as the suite can ask it: a process for each client that initializes itself, and one
 * for all requests of clients that do not.
 */
export async function overHttp(
  program: readonly string[],
): Promise<{ url: string; close(): void }> {
  const conversations = new Map<string, Conversation>();
  async function serve(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    if (asked.method !== 'POST') {
      answer.writeHead(405).end();
      return;
    }
    const message = JSON.parse(Buffer.concat(await asked.toArray()).toString('utf8'));
    const initializes = message.method === 'initialize';
    const session = initializes
      ? `client-${conversations.size}`
      : String(asked.headers['mcp-session-id'] ?? 'without');
    const conversation = conversations.get(session) ?? new Conversation(program);
    conversations.set(session, conversation);
    const text = await conversation.ask(message);
    answer.writeHead(text === undefined ? 202 : 200, {
      'content-type': 'application/json',
      ...(initializes && { 'mcp-session-id': session }),
    });
    answer.end(text);
  }
  const { url, close } = await listen(
    createServer((asked, answer) => {
      serve(asked, answer).catch(() => answer.destroy());
    }),
  );
  return {
    url,
    close: () => {
      for (const conversation of conversations.values()) conversation.end();
      close();
    },
  };
}
