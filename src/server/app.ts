import express, { type NextFunction, type Request, type Response } from 'express';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Deps } from './deps.ts';
import { Refusal, toAnswer } from './http/errors.ts';
import { isApiPath } from './http/api.ts';
import { type Answer, type Exchange, send } from './http/exchange.ts';
import { JSON_TYPE, PAGE_HEADERS, SECURITY_HEADERS } from './http/headers.ts';
import { describeError } from './instance/logger.ts';
import { isForPerson, refusedPage } from './pages/refused.ts';
import type { PageTable } from './pages/table.ts';

export interface AppParts {
  deps: Deps;
  /** Makes the `Exchange` of a request; called once for each. */
  open(req: IncomingMessage, res: ServerResponse): Exchange;
  /**
   * Throws where the request is refused at the door: by the guards, or because the server is
   * stopping.
   */
  admit(exchange: Exchange): void;
  api(exchange: Exchange): Promise<void>;
  pages: PageTable;
  secure: boolean;
}

function logAnswer({ deps }: AppParts, exchange: Exchange): void {
  const { id, method, label, code, caller, res } = exchange;
  const ms = Math.round(performance.now() - exchange.began);
  deps.metrics.request({
    method,
    route: label,
    status: res.statusCode,
    code,
    ms: exchange.streams ? undefined : ms,
  });
  const client =
    deps.logClients === true
      ? { address: exchange.address, ...(caller && { user_id: caller.actor.user_id }) }
      : {};
  const line = {
    request_id: id,
    method,
    path: label,
    status: res.statusCode,
    ms,
    ...(code && { code }),
    ...(caller && { door: caller.door, key_id: caller.actor.key_id }),
    ...client,
  };
  if (res.statusCode >= 500) deps.logger.error(line, 'request');
  else deps.logger.info(line, 'request');
}

function answerError(parts: AppParts, exchange: Exchange, error: unknown): void {
  // Routes are matched on undecoded paths, but Express's own code may meet a path that cannot be
  // decoded.
  const thrown = error instanceof URIError ? new Refusal('invalid_path') : error;
  const answer = toAnswer(thrown, exchange.id);
  const { status, code, headers, body } = answer;
  exchange.code = code;
  if (code === 'internal_error')
    parts.deps.logger.error(
      { request_id: exchange.id, path: exchange.label, error: describeError(error) },
      'unforeseen error',
    );
  if (exchange.res.headersSent) exchange.res.destroy();
  else
    send(
      exchange,
      isForPerson(exchange)
        ? refusedPage(exchange, answer)
        : { status, headers: { ...headers, 'Content-Type': JSON_TYPE }, body },
    );
}

async function answerPage(pages: PageTable, exchange: Exchange): Promise<Answer> {
  const found = await pages.find(exchange);
  if (found === undefined) throw new Refusal('not_found');
  const handler = found.methods.get(exchange.method);
  exchange.label = found.label;
  if (exchange.method === 'OPTIONS')
    return { status: 204, headers: { Allow: found.allow }, body: '' };
  if (handler === undefined)
    throw new Refusal('method_not_allowed', { headers: { Allow: found.allow } });
  return handler(exchange);
}

/**
 * A request's way through the server: admission, then API or page, and one place where errors
 * become answers.
 */
export function createApp(parts: AppParts): (req: IncomingMessage, res: ServerResponse) => void {
  const exchanges = new WeakMap<IncomingMessage, Exchange>();
  const exchangeOf = (req: IncomingMessage): Exchange => exchanges.get(req)!;
  const app = express();
  for (const setting of ['x-powered-by', 'etag', 'query parser', 'trust proxy'])
    app.disable(setting);
  for (const setting of ['case sensitive routing', 'strict routing']) app.enable(setting);

  app.use((req: Request, res: Response, next: NextFunction) => {
    const exchange = parts.open(req, res);
    exchanges.set(req, exchange);
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) res.setHeader(name, value);
    if (parts.secure) res.setHeader('Strict-Transport-Security', 'max-age=31536000');
    res.setHeader('X-Request-Id', exchange.id);
    res.once('close', () => logAnswer(parts, exchange));
    parts.admit(exchange);
    next();
  });
  app.use(async (req: Request, _res: Response, next: NextFunction) => {
    const exchange = exchangeOf(req);
    if (!isApiPath(exchange.path)) return next();
    await parts.api(exchange);
  });
  app.use(async (req: Request) => {
    const exchange = exchangeOf(req);
    for (const [name, value] of Object.entries(PAGE_HEADERS)) exchange.res.setHeader(name, value);
    send(exchange, await answerPage(parts.pages, exchange));
  });
  // Express recognises an error handler by its four parameters.
  app.use((error: unknown, req: Request, _res: Response, _next: NextFunction) =>
    answerError(parts, exchangeOf(req), error),
  );
  return app;
}
