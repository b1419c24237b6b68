import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { createApp } from './app.ts';
import { createAuthenticator } from './auth/authenticate.ts';
import { createSignInLimits, LIMITS_KEPT } from './auth/limits.ts';
import type { People } from './auth/people.ts';
import { createRefusals } from './auth/refusals.ts';
import { createCookies } from './auth/session.ts';
import { createTriedPasswords, TRIED_KEPT } from './auth/tried-passwords.ts';
import { checkBinding, ConfigError } from './config/binding.ts';
import type { Deps } from './context/deps.ts';
import { ApiError } from './context/errors.ts';
import { createApi, type Operation } from './http/api.ts';
import { Bodies } from './http/bodies.ts';
import { answerClientError } from './http/client-error.ts';
import { limitConnections } from './http/connections.ts';
import { Entrance, isLarge } from './http/entrance.ts';
import { createEvents } from './http/events.ts';
import type { RequestContext } from './context/request.ts';
import {
  guard,
  IN_PROCESS_SITE,
  localSite,
  MAX_HEADERS,
  publicSite,
  type Site,
  urlHost,
} from './http/guards.ts';
import { JSON_TYPE } from './http/headers.ts';
import { carryOut, type CarryingOut } from './http/carry-out.ts';
import { createInProgress } from './http/idempotency.ts';
import { perform, type Performance } from './http/perform.ts';
import { createProxyNotice } from './http/proxy-notice.ts';
import { createProxies } from './http/proxies.ts';
import { createRateLimits } from './http/rate-limit.ts';
import { createOpenApi, OPENAPI_PATH } from './openapi/document.ts';
import { createDesk } from './pages/team/desk.ts';
import { createStudioPages } from './pages/studio.ts';
import { createStudioFiles } from './pages/studio-files.ts';
import { createPageTable } from './pages/table.ts';
import { createReadiness, type Readiness } from './instance/readiness.ts';
import type { RouteDeps } from './http/route.ts';
import { createRunCheck } from './instance/run-check.ts';
import { createSecretCheck } from './instance/secret-mark.ts';
import { createUsage } from './instance/usage.ts';
import { ROUTES } from './v1/routes.ts';
import { EVERY_ACCOUNT } from './storage/db/session.ts';

const DRAIN_MS = 5_000;
const SWEEP_MS = 50;
const FLUSH_MS = 1_000;
const EXPIRE_MS = 3_600_000;
const SILENCE_MS = 120_000;
const GATHER_MS = 1_000;
const CONNECTIONS = { desktop: 64, local: 128, hosted: 4_096 } as const;
const LIMITS = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
  requireHostHeader: false,
  insecureHTTPParser: false,
} as const;

export interface ServerOptions {
  /** Address to listen on. Loopback, unless `publicUrl` says that the server is hosted. */
  host?: string;
  /** 0 picks a free one. */
  port: number;
  /** Where the port is taken, pick a free one instead of failing. */
  fallback?: boolean;
  /** The address under which users reach a hosted server; requests must name it as their Host. */
  publicUrl?: URL;
  /** Most open connections; a default for the kind of server if not given. */
  connections?: number | undefined;
  /** Addresses and networks of proxies whose X-Forwarded-For is believed. */
  trustedProxies?: readonly string[];
  /**
   * How long a stopping server goes on answering while it reports that it is not ready, ms: a load
   * balancer uses the time to turn away.
   */
  leaveMs?: number;
  /** Compare every answer with its schema; for tests. */
  validateAnswers?: boolean;
  /** Other limits than the built-in ones, ms and bytes; for tests. */
  limits?: {
    headersTimeout?: number;
    requestTimeout?: number;
    connectionsCheckingInterval?: number;
    keepAliveTimeout?: number;
    silenceTimeout?: number;
    drainTimeout?: number;
    bodyBytes?: number;
  };
}

export interface EvidenceServer {
  /** Address to publish: the literal loopback address, or the public one. */
  url: string;
  port: number;
  /** True where the wanted port was taken and another was chosen. */
  moved: { from: number; to: number } | undefined;
  httpServer: Server;
  /**
   * `METHOD path` of everything that is answered, with the names of paths in braces and pages by
   * their labels.
   */
  routes: readonly string[];
  /**
   * Opens a connection from inside this process. HTTP over it, with `Host: studio`, acts as the
   * local account's person.
   */
  connectInProcess(): Duplex;
  readiness: Readiness;
  /**
   * Stops: reports not ready, lets running requests end (five seconds), closes every connection and
   * writes the usage counts. The store stays open.
   */
  close(): Promise<void>;
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

async function listenSomewhere(
  server: Server,
  host: string,
  { port, fallback }: ServerOptions,
): Promise<number> {
  try {
    return await listen(server, host, port);
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (taken && fallback === true) return listen(server, host, 0);
    if (taken) throw new ConfigError(`Port ${port} on ${host} is in use by another program.`);
    throw error;
  }
}

/** Builds the HTTP side of a studio and listens. Resolves when requests are answered. */
export async function createEvidenceServer(
  deps: Deps,
  options: ServerOptions,
): Promise<EvidenceServer> {
  const host =
    options.host === undefined || options.host === 'localhost' ? '127.0.0.1' : options.host;
  checkBinding({ host, publicUrl: options.publicUrl });
  const inProcess = new WeakSet<object>();
  const refusals = createRefusals(deps);
  const tried = createTriedPasswords(deps);
  let loading: Promise<People> | undefined;
  const people = (): Promise<People> =>
    (loading ??= import('./auth/people.ts').then(({ createPeople }) => createPeople(deps)));
  if (deps.home === 'hosted') await people();
  const routeDeps: RouteDeps = {
    ...deps,
    url: options.publicUrl?.origin ?? '',
    people,
    signInLimits: createSignInLimits(deps.store),
    refusals,
  };
  let site: Site =
    options.publicUrl === undefined ? localSite(host, options.port) : publicSite(options.publicUrl);
  /**
   * Two stages of stopping: first it answers but reports that it is not ready, then it finishes
   * only the requests that it has begun.
   */
  let leaving = false;
  let draining = false;
  const hasOtherSecret = createSecretCheck(deps);
  const readiness = createReadiness(deps.store, () => leaving, hasOtherSecret);

  const cookies = createCookies(
    deps.home !== 'hosted'
      ? 'local'
      : options.publicUrl?.protocol === 'http:'
        ? 'hosted without https'
        : 'hosted',
  );
  const usage = createUsage(deps);
  const proxies = createProxies(options.trustedProxies ?? []);
  const mostConnections = options.connections ?? CONNECTIONS[deps.home];
  const isHosted = deps.home === 'hosted';
  const mostOfAccount = isHosted ? mostConnections / 8 : mostConnections / 2;
  const limits = createRateLimits(deps, isHosted ? mostOfAccount : Infinity);
  const authenticator = createAuthenticator(deps, cookies.session, usage, {
    refusals,
    checkFailure: limits.checkFailure,
    hasOtherSecret,
  });
  const events = createEvents(deps, authenticator, {
    all: mostConnections / 2,
    account: mostOfAccount,
    person: isHosted ? mostOfAccount / 4 : mostOfAccount,
    gatherMs: isHosted ? GATHER_MS : 0,
  });
  const work: CarryingOut = { deps: routeDeps, once: createInProgress() };
  const { thread } = deps;
  const isPostgres = deps.store.engine === 'postgres';
  const performing: Performance = {
    deps: routeDeps,
    usage,
    entrance: isPostgres ? new Entrance() : undefined,
    // Short calls to PostgreSQL stay here: what they mostly do is wait, and a large one's parsing
    // would be waited for as well.
    carryOut: (route, asked) =>
      thread === undefined || (isPostgres && !isLarge(asked.received?.bytes.length ?? 0))
        ? carryOut(route, asked, work)
        : thread.carryOut(route.endpoint.id, asked, routeDeps.url),
    validateAnswers: options.validateAnswers ?? false,
  };
  const openApi = createOpenApi(deps.version);
  const operations: Operation[] = [
    ...ROUTES.map((route): Operation => ({
      ...route.endpoint,
      perform: (context, raw, principal) => perform(route, context, raw, principal!, performing),
    })),
    events.operation,
    {
      id: 'openApi',
      method: 'GET',
      path: OPENAPI_PATH,
      access: 'open',
      perform: async () => ({
        answer: { status: 200, headers: { 'Content-Type': JSON_TYPE }, body: openApi.json() },
        counted: {},
      }),
    },
  ];
  const files = deps.rendererRoot === undefined ? undefined : createStudioFiles(deps.rendererRoot);
  const pages = createPageTable(
    deps,
    readiness,
    createStudioPages(deps, authenticator, cookies.session, files),
    openApi.document,
    createDesk({
      deps,
      people,
      signInLimits: routeDeps.signInLimits,
      authenticator,
      refusals,
      tried,
      cookies,
    }),
  );
  const bodies = new Bodies(options.limits?.bodyBytes);
  const newRequestId = (): string => `req_${Buffer.from(deps.random.bytes(12)).toString('hex')}`;

  function open(req: IncomingMessage, res: ServerResponse): RequestContext {
    const [path = '', search = ''] = (req.url ?? '').split(/\?(.*)/s);
    const method = req.method === 'HEAD' ? 'GET' : (req.method ?? '');
    return {
      id: newRequestId(),
      req,
      res,
      method,
      path,
      search,
      inProcess: inProcess.has(req.socket),
      address: proxies.clientOf(req),
      bodies,
      now: deps.clock.now(),
      began: performance.now(),
      label: '*',
      principal: undefined,
      code: undefined,
      streams: false,
    };
  }
  function admit(context: RequestContext): void {
    guard(context, context.inProcess ? IN_PROCESS_SITE : site);
    if (leaving) context.res.setHeader('Connection', 'close');
    if (draining) throw new ApiError('unavailable', { message: 'The server is stopping.' });
  }
  const app = createApp({
    deps,
    open,
    admit,
    api: createApi(operations, { deps, authenticator, usage, limits }),
    pages,
    secure: options.publicUrl?.protocol === 'https:',
  });

  const answering = new WeakMap<object, ServerResponse>();
  const noticeProxy = createProxyNotice(deps, proxies);
  const onRequest = (req: IncomingMessage, res: ServerResponse): void => {
    noticeProxy(req);
    answering.set(req.socket, res);
    connections.asks(req.socket, req, res, proxies.clientOf(req));
    app(req, res);
  };
  const server = createServer({ ...LIMITS, ...options.limits }, onRequest);
  server.on('checkContinue', onRequest);
  server.on('checkExpectation', onRequest);
  server.on('clientError', (error, socket) => {
    const current = answering.get(socket);
    if (current !== undefined && !current.writableFinished) {
      // Garbage behind a complete request: that request still gets its own answer, and the
      // connection ends after it. Once the answer has begun, nothing more can be said.
      if (current.headersSent) return void socket.destroy();
      if (current.req.complete) return void current.setHeader('Connection', 'close');
    }
    if (!socket.writable) return void socket.destroy();
    const request_id = newRequestId();
    const code = answerClientError(error, socket, request_id);
    deps.logger.info({ request_id, code }, 'request that could not be read');
  });
  const connections = limitConnections(server, {
    most: mostConnections,
    perAddress: deps.home === 'hosted' ? Math.ceil(mostConnections / 4) : Infinity,
    isProxy: proxies.has,
  });
  server.maxHeadersCount = MAX_HEADERS + 1;
  server.maxRequestsPerSocket = 1_000;
  // An answer that nobody reads is given up after a while. A stream of events writes more often
  // than that.
  server.timeout = options.limits?.silenceTimeout ?? SILENCE_MS;

  deps.metrics.watch('event_streams', events.count);
  deps.metrics.watch('connections', connections.count);
  if (deps.store.pool !== undefined) deps.metrics.watch('database_connections', deps.store.pool);

  const port = await listenSomewhere(server, host, options);
  if (options.publicUrl === undefined) {
    site = localSite(host, port);
    routeDeps.url = `http://${urlHost(host)}:${port}`;
  }
  const flushing = setInterval(() => {
    void usage.flush();
    void refusals.flush();
    void tried.flush();
  }, FLUSH_MS);
  const expire = async (): Promise<void> =>
    deps.store.transact(async (writer) => {
      await writer.idempotency.expire();
      await writer.runWrites.expireUploads();
      await writer.signInLimits.forget(deps.clock.now() - LIMITS_KEPT);
      await writer.signInLimits.expireTried(new Date(deps.clock.now() - TRIED_KEPT).toISOString());
    }, EVERY_ACCOUNT);
  const expiring = setInterval(() => void expire().catch(() => {}), EXPIRE_MS);
  const runCheck = createRunCheck(deps);
  flushing.unref();
  expiring.unref();
  let closed: Promise<void> | undefined;

  async function close(): Promise<void> {
    leaving = true;
    events.close();
    if (options.leaveMs !== undefined) await wait(options.leaveMs);
    draining = true;
    clearInterval(flushing);
    clearInterval(expiring);
    runCheck.close();
    const ended = new Promise<void>((resolve) => server.close(() => resolve()));
    const late = new AbortController();
    // `close` ends only the connections that are idle now; without this, a connection whose last
    // answer comes later would stay open until its time-out.
    const sweeping = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
    await Promise.race([
      ended,
      wait(options.limits?.drainTimeout ?? DRAIN_MS, undefined, { signal: late.signal }).catch(
        () => {},
      ),
    ]);
    late.abort();
    clearInterval(sweeping);
    server.closeAllConnections();
    await ended;
    await limits.close();
    await usage.flush();
    await refusals.flush(true);
    await tried.flush();
  }

  return {
    url: routeDeps.url,
    port,
    moved:
      port === options.port || options.port === 0 ? undefined : { from: options.port, to: port },
    httpServer: server,
    routes: [...operations.map(({ method, path }) => `${method} ${path}`), ...pages.routes],
    connectInProcess() {
      const [near, far] = duplexPair();
      // Destroying one end of the pair does not always destroy the other, and an event stream would
      // outlive its reader.
      near.once('close', () => far.destroy());
      far.once('close', () => near.destroy());
      inProcess.add(far);
      server.emit('connection', far);
      return near;
    },
    readiness,
    close: () => (closed ??= close()),
  };
}
