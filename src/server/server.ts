import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { createApp } from './app.ts';
import { checkBinding } from './config/binding.ts';
import type { Deps } from './context/deps.ts';
import { ApiError } from './context/errors.ts';
import type { RequestContext } from './context/request.ts';
import { startHousekeeping } from './housekeeping.ts';
import { createApi } from './http/api.ts';
import { Bodies } from './http/bodies.ts';
import {
  guard,
  IN_PROCESS_SITE,
  localSite,
  publicSite,
  type Site,
  urlHost,
} from './http/guards.ts';
import {
  closeSockets,
  createNodeServer,
  listenSomewhere,
  type SocketLimits,
} from './http/node-server.ts';
import { createProxyNotice } from './http/proxy-notice.ts';
import { createRequestOpener } from './http/open-request.ts';
import { createRequestsWithin, type SendWithin } from './http/requests-within.ts';
import { createProxies } from './http/proxies.ts';
import type { Readiness } from './instance/readiness.ts';
import type { OpenApiDocument } from './openapi/shapes.ts';
import { startDelivery } from './notices/delivery.ts';
import { startStamping } from './time-stamps/stamping.ts';
import { createOperations } from './operations.ts';
import { createStudioPages } from './pages/studio.ts';
import { createStudioFiles } from './pages/studio-files.ts';
import { createPageTable, type Handler, type PageTable } from './pages/table.ts';
import { createSignInPages } from './pages/team/sign-in-pages.ts';
import { createServices, type ServerServices, type Shares, sharesOf } from './services.ts';

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
   * How long a stopping server keeps answering while it reports that it is not ready, ms: a load
   * balancer uses the time to turn away.
   */
  leaveMs?: number;
  /** Compare every answer with its schema; for tests. */
  validateAnswers?: boolean;
  /** Other limits than the built-in ones, ms and bytes; for tests. */
  limits?: SocketLimits & { bodyBytes?: number };
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

/**
 * Two stages of stopping: first it answers but reports that it is not ready, then it finishes only
 * the requests that it has begun.
 */
interface Stage {
  leaving: boolean;
  closing: boolean;
}

/** The library for it is large, and loaded with the first request. */
function loadMcpPage(
  { version }: Deps,
  { authenticator }: ServerServices,
  sendWithin: SendWithin,
): Handler {
  let loading: Promise<Handler> | undefined;
  return async (context) => {
    loading ??= import('./mcp/page.ts').then(({ createMcpPage }) =>
      createMcpPage(version, authenticator, sendWithin),
    );
    return (await loading)(context);
  };
}

function createPages(
  deps: Deps,
  services: ServerServices,
  document: () => OpenApiDocument,
  sendWithin: SendWithin,
): PageTable {
  const { authenticator, cookies, routeDeps } = services;
  const files = deps.rendererRoot === undefined ? undefined : createStudioFiles(deps.rendererRoot);
  return createPageTable(
    deps,
    services.readiness,
    createStudioPages(deps, authenticator, cookies.session, files),
    document,
    createSignInPages({ ...services, deps, signInLimits: routeDeps.signInLimits }),
    loadMcpPage(deps, services, sendWithin),
  );
}

/**
 * What is refused before a request is looked at: by the guards, or because the server is stopping.
 */
function createAdmission(stage: Stage, siteOf: () => Site): (context: RequestContext) => void {
  return (context) => {
    guard(context, context.inProcess ? IN_PROCESS_SITE : siteOf());
    if (stage.leaving) context.res.setHeader('Connection', 'close');
    if (stage.closing) throw new ApiError('unavailable', { message: 'The server is stopping.' });
  };
}

/** The HTTP side of a studio, not listening yet; `siteOf` names the hosts that it answers for. */
function createListener(
  deps: Deps,
  options: ServerOptions,
  services: ServerServices,
  { shares, stage, siteOf }: { shares: Shares; stage: Stage; siteOf(): Site },
) {
  const proxies = createProxies(options.trustedProxies ?? []);
  const requests = createRequestOpener(deps, proxies, new Bodies(options.limits?.bodyBytes));
  const { operations, document } = createOperations(deps, services, {
    validateAnswers: options.validateAnswers ?? false,
  });
  const sendWithin = createRequestsWithin(
    () => server,
    () => siteOf().hosts.values().next().value ?? '',
    requests.connectFor,
  );
  const pages = createPages(deps, services, document, sendWithin);
  const app = createApp({
    deps,
    open: requests.open,
    admit: createAdmission(stage, siteOf),
    api: createApi(operations, { deps, ...services }),
    pages,
    secure: options.publicUrl?.protocol === 'https:',
  });
  const { server, count } = createNodeServer({
    app,
    notice: createProxyNotice(deps, proxies),
    clientOf: proxies.clientOf,
    newRequestId: requests.newRequestId,
    logger: deps.logger,
    connections: { most: shares.all, perAddress: shares.address, isProxy: proxies.has },
    limits: options.limits,
  });
  deps.metrics.watch('event_streams', services.events.count);
  deps.metrics.watch('connections', count);
  if (deps.store.pool !== undefined) deps.metrics.watch('database_connections', deps.store.pool);
  return {
    server,
    routes: [...operations.map(({ method, path }) => `${method} ${path}`), ...pages.routes],
    connectInProcess: () => requests.connectInProcess(server),
  };
}

/** Builds the HTTP side of a studio and listens. Resolves when requests are answered. */
export async function createEvidenceServer(
  deps: Deps,
  options: ServerOptions,
): Promise<EvidenceServer> {
  const { publicUrl, host: named = 'localhost' } = options;
  const host = named === 'localhost' ? '127.0.0.1' : named;
  checkBinding({ host, publicUrl });
  const stage: Stage = { leaving: false, closing: false };
  const shares = sharesOf(deps.home, options.connections);
  const services = await createServices(deps, shares, {
    publicUrl,
    isLeaving: () => stage.leaving,
  });
  let site = publicUrl === undefined ? localSite(host, options.port) : publicSite(publicUrl);
  const { server, routes, connectInProcess } = createListener(deps, options, services, {
    shares,
    stage,
    siteOf: () => site,
  });

  const port = await listenSomewhere(server, host, options);
  if (publicUrl === undefined) {
    site = localSite(host, port);
    services.routeDeps.url = `http://${urlHost(host)}:${port}`;
  }
  const housekeeping = startHousekeeping(deps, services);
  const delivery = startDelivery({ ...deps, url: services.routeDeps.url }, deps.notices);
  const stamping = startStamping(deps, deps.timeStamps);
  let closed: Promise<void> | undefined;

  async function close(): Promise<void> {
    stage.leaving = true;
    services.events.close();
    if (options.leaveMs !== undefined) await wait(options.leaveMs);
    stage.closing = true;
    delivery.close();
    stamping.close();
    housekeeping.stop();
    await closeSockets(server, options.limits?.graceTimeout);
    await services.limits.close();
    await housekeeping.flush();
  }

  return {
    url: services.routeDeps.url,
    port,
    moved:
      port === options.port || options.port === 0 ? undefined : { from: options.port, to: port },
    httpServer: server,
    routes,
    connectInProcess,
    readiness: services.readiness,
    close: () => (closed ??= close()),
  };
}
