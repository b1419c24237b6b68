import { text } from 'node:stream/consumers';
import { callerOrigin } from '../audit.ts';
import { confirmCaller } from '../auth/authenticate.ts';
import { type Caller, reachOf } from '../auth/caller.ts';
import { Refusal } from '../errors.ts';
import type { Counted, ReadRoute, Result, Route, RouteDeps, ServiceRoute, WriteRoute } from '../route.ts';
import { EVERY_ACCOUNT, type Writer } from '../storage/port.ts';
import type { UsageMeter } from '../usage.ts';
import { readBody, requestDigest } from './body.ts';
import { isSyncPath } from './compression.ts';
import type { Answer, Exchange } from './exchange.ts';
import { JSON_TYPE } from './headers.ts';
import { findReplay, type InProgress, type Repeatable, saveAnswer } from './idempotency.ts';
import { parseWith } from './issues.ts';
import { decodeParams, type Match } from './match.ts';
import { isFresh, parseIdempotencyKey, parsePrecondition, parseWitness, requireUser } from './preconditions.ts';
import { parseQuery } from './query.ts';

export interface Performance {
  deps: RouteDeps;
  usage: UsageMeter;
  once: InProgress;
  /** Compares every answer with its schema. For tests; too slow for a running server. */
  validateAnswers: boolean;
}

export interface Performed {
  answer: Answer;
  counted: Counted;
}

function render(result: Result<unknown>): Answer {
  if ('file' in result) {
    const { type, name, pieces } = result.file;
    return { status: result.status, headers: { 'Content-Type': `${type}; charset=utf-8`, 'Content-Disposition': `attachment; filename="${name}"` }, body: '', pieces };
  }
  const headers: Record<string, string> = { 'Content-Type': JSON_TYPE };
  if (result.etag !== undefined) headers['ETag'] = result.etag;
  if (result.location !== undefined) headers['Location'] = result.location;
  return { status: result.status, headers, body: 'json' in result ? result.json : JSON.stringify(result.value) };
}

function validate({ endpoint }: Route, answer: Answer): void {
  if (!(endpoint.success as readonly number[]).includes(answer.status)) throw new TypeError(`${endpoint.id} answers ${answer.status}, which its contract does not list.`);
  const { error } = endpoint.response.safeParse(JSON.parse(String(answer.body)));
  if (error !== undefined) throw new TypeError(`${endpoint.id} answers against its contract: ${JSON.stringify(error.issues.slice(0, 5))}`);
}

function accountOf({ acrossAccounts }: ReadRoute | WriteRoute, { actor }: Caller): string | undefined {
  return acrossAccounts === 'every' ? EVERY_ACCOUNT : acrossAccounts ? undefined : actor.account_id;
}

async function performRead(route: ReadRoute, exchange: Exchange, input: { params: unknown; query: unknown; caller: Caller }, { deps, usage }: Performance): Promise<Performed> {
  const { params, query, caller } = input;
  const witness = parseWitness(exchange.req);
  const { body } = await readInput(route, exchange, false);
  if (route.flushesUsage) await usage.flush();
  const holds = (etag: string): boolean => isFresh(exchange.req, etag);
  const result = await deps.store.read((reader) => route.handle({ params, query, actor: caller.actor, session: caller.session, role: caller.role, reach: reachOf(caller), deps, now: exchange.now, witness, reader, body, isFresh: holds }), accountOf(route, caller));
  const answer = render(result);
  const fresh = result.etag !== undefined && holds(result.etag);
  return { answer: fresh ? { ...answer, status: 304 } : answer, counted: result.counted ?? {} };
}

interface Input {
  body: unknown;
  text: string;
  digest: string | undefined;
}

/** Whether the body names another protocol version. This is checked first, since the body of another version may have another shape. */
function speaksAnother(body: unknown, protocol: number): boolean {
  return typeof body === 'object' && body !== null && 'protocol' in body && Number.isInteger(body.protocol) && body.protocol !== protocol;
}

/** Reads the body and keeps only what the operation needs: the raw bytes and text are several times as large and are released before it runs. */
async function readInput({ endpoint }: Route, exchange: Exchange, isRepeatable: boolean): Promise<Input> {
  if (endpoint.body === undefined || endpoint.bodyLimit === undefined) return { body: undefined, text: '', digest: undefined };
  const { value, text, bytes } = await readBody(exchange.req, exchange.res, endpoint.bodyLimit, isSyncPath(exchange.path), exchange.caller?.actor.account_id ?? exchange.address);
  if (endpoint.protocol !== undefined && speaksAnother(value, endpoint.protocol)) throw new Refusal('unsupported_protocol');
  return { body: parseWith(endpoint.body, value, 'validation_failed'), text, digest: isRepeatable ? requestDigest(exchange.path, bytes) : undefined };
}

async function performWrite(route: WriteRoute, exchange: Exchange, input: { params: unknown; query: unknown; caller: Caller }, { deps, once }: Performance): Promise<Performed> {
  const { params, query, caller } = input;
  const { actor } = caller;
  const witness = parseWitness(exchange.req);
  const key = route.endpoint.method === 'POST' ? parseIdempotencyKey(exchange.req) : undefined;
  const precondition = parsePrecondition(exchange.req);
  if (precondition !== undefined && !route.endpoint.errors.includes('precondition_failed')) throw new Refusal('invalid_request', { message: 'This operation takes no precondition.' });
  const { body, text, digest } = await readInput(route, exchange, key !== undefined);
  const repeatable: Repeatable | undefined = key === undefined || digest === undefined ? undefined : { key, operation: route.endpoint.id, digest };

  return once(actor, repeatable, () =>
    deps.store.transact(async (writer) => {
      writer.audit.by(callerOrigin(caller, exchange));
      const replay = repeatable && (await findReplay(writer, actor, repeatable));
      if (replay !== undefined) return { answer: replay, counted: {} };
      const confirm = (): Promise<void> => confirmCaller(caller, route.endpoint, writer);
      if (route.changesMembers) await writer.teamWrites.lock(actor.account_id);
      if (route.endsCaller) await confirm();
      const result = await route.handle({ params, query, actor, role: caller.role, session: caller.session, deps, now: exchange.now, witness, writer, body, text, precondition });
      if (!route.endsCaller) writer.lastly(confirm);
      const answer = render(result);
      if (repeatable !== undefined) await saveAnswer(writer, actor, repeatable, answer, result.unrepeatable ?? false);
      return { answer, counted: result.counted ?? {} };
    }, accountOf(route, caller)),
  );
}

async function performService(route: ServiceRoute, exchange: Exchange, input: { params: unknown; query: unknown; caller: Caller }, { deps }: Performance): Promise<Performed> {
  const { params, query, caller } = input;
  const { body } = await readInput(route, exchange, false);
  const transact = <T>(work: (writer: Writer) => Promise<T>): Promise<T> =>
    deps.store.transact(async (writer) => {
      writer.audit.by(callerOrigin(caller, exchange));
      await confirmCaller(caller, route.endpoint, writer);
      return work(writer);
    });
  const result = await route.handle({ params, query, actor: caller.actor, role: caller.role, session: caller.session, origin: callerOrigin(caller, exchange), transact, deps, now: exchange.now, body });
  return { answer: render(result), counted: result.counted ?? {} };
}

function performRoute(route: Route, exchange: Exchange, input: { params: unknown; query: unknown; caller: Caller }, performance: Performance): Promise<Performed> {
  switch (route.kind) {
    case 'read':
      return performRead(route, exchange, input, performance);
    case 'write':
      return performWrite(route, exchange, input, performance);
    case 'service':
      return performService(route, exchange, input, performance);
  }
}

function refuseUnexpectedBody({ req }: Exchange): void {
  const { 'content-length': length, 'transfer-encoding': coding } = req.headers;
  if (coding !== undefined || (length !== undefined && Number(length) > 0)) throw new Refusal('invalid_request', { message: 'This operation takes no body.' });
}

/** Performs an authorised call, from its path to its answer. The order of these steps decides which error is reported where a request has several faults. */
export async function perform(route: Route, exchange: Exchange, raw: Match<unknown>['raw'], caller: Caller, performance: Performance): Promise<Performed> {
  const { endpoint } = route;
  requireUser(exchange, endpoint.path, caller.actor);
  const params = parseWith(endpoint.params, decodeParams(raw), 'invalid_uid', (path) => path.slice(1));
  const query = parseQuery(exchange.search, endpoint.query);
  if (endpoint.body === undefined) refuseUnexpectedBody(exchange);
  const input = { params, query, caller };
  const performed = await performRoute(route, exchange, input, performance);
  if (!performance.validateAnswers || performed.answer.status >= 300) return performed;
  const { pieces, ...answer } = performed.answer;
  if (pieces !== undefined) answer.body = await text(pieces);
  if (!answer.headers['Content-Type']?.startsWith('text/csv')) validate(route, answer);
  return { ...performed, answer };
}
