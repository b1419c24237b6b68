import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

/** What this end of the connection says of itself. */
const OWN = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
]);

const refuse = (
  response: ServerResponse,
  [status, error]: readonly [number, string],
  details: readonly object[] = [],
): unknown =>
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ error, message: 'No.', details, request_id: 'req_x' }));

const CANNOT_READ = [422, 'validation_failed'] as const;

/** Why a push is refused, which is noted. */
function refusalOf({ answer, names, refused }: StrictServer, text: string) {
  if (answer === null || !text.includes('poisoned')) return undefined;
  const { changes } = JSON.parse(text) as { changes: { change: string }[] };
  refused.push(changes.length);
  const first = changes.findIndex(({ change }) => change.includes('poisoned'));
  const details = names
    ? [{ path: `/changes/${first}`, code: 'other_author', message: 'No.' }]
    : [];
  return { answer, details };
}

const ownHeaders = (request: IncomingMessage): [string, string][] => [
  ...Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    typeof value !== 'string' || OWN.has(name) ? [] : [[name, value]],
  ),
  ['accept-encoding', 'identity'],
];

/** Refuses the parts that are refused, and has the others answered. Answers whether it did. */
async function answerBatch(
  strict: StrictServer,
  request: IncomingMessage,
  response: ServerResponse,
  text: string,
): Promise<boolean> {
  const { parts } = JSON.parse(text) as { parts: { operation: string; body?: unknown }[] };
  const refusals = parts.map(({ operation, body }) =>
    operation === 'push' ? refusalOf(strict, JSON.stringify(body)) : undefined,
  );
  const [first] = refusals.filter((refusal) => refusal !== undefined);
  if (first === undefined) return false;
  strict.asked.push('POST batch');
  if (strict.refusesWhole) {
    refuse(response, first.answer, first.details);
    return true;
  }
  const others = parts.filter((_, at) => refusals[at] === undefined);
  const headers = ownHeaders(request).filter(([name]) => name !== 'content-encoding');
  const answer =
    others.length === 0
      ? { parts: [] }
      : ((await (
          await fetch(strict.target + (request.url ?? ''), {
            method: 'POST',
            headers,
            body: JSON.stringify({ parts: others }),
          })
        ).json()) as { parts: unknown[] });
  const error = ([status, code]: readonly [number, string], details: readonly object[]) => ({
    status,
    body: { error: code, message: 'No.', details, request_id: 'req_x' },
  });
  response.writeHead(200, { 'content-type': 'application/json' }).end(
    JSON.stringify({
      parts: refusals.map((refusal) =>
        refusal === undefined ? answer.parts.shift() : error(refusal.answer, refusal.details),
      ),
    }),
  );
  return true;
}

export interface StrictServer {
  url: string;
  /** How many changes each refused push held. */
  refused: number[];
  /** Status and code of its refusal; null: it takes everything. */
  answer: readonly [number, string] | null;
  /** Refuses everything, whatever it holds. */
  down: boolean;
  refusesRuns: boolean;
  /** Names the first change that it refuses. */
  names: boolean;
  /** Refuses a whole request about several logs for one of them, as something on the way may. */
  refusesWhole: boolean;
  /** Is of a version that takes requests about one log alone. */
  isOld: boolean;
  /** Says of itself that it takes the key for a studio's. */
  isStudio: boolean;
  /** What it says of its program's version; null: the truth. */
  version: string | null;
  /** Where everything else goes. */
  target: string;
  asked: string[];
  close(): void;
}

/**
 * Passes everything on, but for pushes that hold the word `poisoned`: those it refuses, if nothing
 * else is said as a server does that cannot read them.
 */
export async function strictServer(target: string): Promise<StrictServer> {
  const refused: number[] = [];
  const asked: string[] = [];
  const server: Server = createServer(async (request, response) => {
    const body = await buffer(request);
    const text =
      request.headers['content-encoding'] === 'gzip'
        ? gunzipSync(body).toString()
        : body.toString();
    if (strict.down) {
      refuse(response, [500, 'internal_error']);
      return;
    }
    if (request.url?.endsWith('/push') === true) {
      const refusal = refusalOf(strict, text);
      if (refusal !== undefined) {
        refuse(response, refusal.answer, refusal.details);
        return;
      }
    }
    if (request.url?.endsWith('/batch') === true) {
      if (strict.isOld) {
        refuse(response, [404, 'not_found']);
        return;
      }
      if (await answerBatch(strict, request, response, text)) return;
    }
    asked.push(`${request.method} ${request.url?.split('/')[4]}`);
    if (
      strict.refusesRuns &&
      request.method === 'PUT' &&
      request.url?.includes('/sync/runs/') === true
    ) {
      refuse(response, CANNOT_READ);
      return;
    }
    const answer = await fetch(strict.target + (request.url ?? ''), {
      method: request.method ?? 'GET',
      headers: ownHeaders(request),
      ...(body.length > 0 && { body }),
      redirect: 'manual',
    }).catch(() => undefined);
    if (answer === undefined) return void response.destroy();
    const isHello = request.url?.endsWith('/hello') === true;
    const says = {
      ...(strict.isOld && isHello && { features: ['events', 'gzip', 'snapshot', 'streams'] }),
      ...(!strict.isStudio && { studio: false }),
      ...(strict.version !== null && isHello && { version: strict.version }),
    };
    if (
      Object.keys(says).length > 0 &&
      answer.ok &&
      /\/sync\/(?:hello|cases)(?:\?|$)/.test(request.url ?? '')
    ) {
      response
        .writeHead(answer.status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ ...((await answer.json()) as object), ...says }));
      return;
    }
    response.writeHead(
      answer.status,
      Object.fromEntries([...answer.headers].filter(([name]) => name !== 'transfer-encoding')),
    );
    try {
      for await (const chunk of answer.body ?? []) response.write(chunk);
      response.end();
    } catch {
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const strict: StrictServer = {
    answer: CANNOT_READ,
    down: false,
    names: false,
    refusesWhole: false,
    isOld: false,
    isStudio: true,
    version: null,
    target,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refused,
    asked,
    refusesRuns: false,
    close: () => void (server.closeAllConnections(), server.close()),
  };
  return strict;
}
