import express, { type NextFunction, type Request, type Response } from 'express';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Deps } from './context/deps.ts';
import { ApiError, toAnswer } from './context/errors.ts';
import { isApiPath } from './http/api.ts';
import { type HttpAnswer, type RequestContext, send } from './context/request.ts';
import { JSON_TYPE, PAGE_HEADERS, SECURITY_HEADERS } from './http/headers.ts';
import { describeError } from './instance/logger.ts';
import { isForPerson, refusedPage } from './pages/refused.ts';
import type { PageTable } from './pages/table.ts';

export interface AppParts {
  deps: Deps;
  /** Makes the `RequestContext` of a request; called once for each. */
  open(req: IncomingMessage, res: ServerResponse): RequestContext;
  /**
   * Throws where the request is refused at once: by the guards, or because the server is
   * stopping.
   */
  admit(context: RequestContext): void;
  api(context: RequestContext): Promise<void>;
  pages: PageTable;
  secure: boolean;
}

function logAnswer({ deps }: AppParts, context: RequestContext): void {
  const { id, method, label, code, principal, res } = context;
  const ms = Math.round(performance.now() - context.began);
  deps.metrics.request({
    method,
    route: label,
    status: res.statusCode,
    code,
    ms: context.streams ? undefined : ms,
  });
  const client =
    deps.logClients === true
      ? { address: context.address, ...(principal && { user_id: principal.actor.user_id }) }
      : {};
  const line = {
    request_id: id,
    method,
    path: label,
    status: res.statusCode,
    ms,
    ...(code && { code }),
    ...(principal && { auth_method: principal.authMethod, key_id: principal.actor.key_id }),
    ...client,
  };
  if (res.statusCode >= 500) deps.logger.error(line, 'request');
  else deps.logger.info(line, 'request');
}

function answerError(parts: AppParts, context: RequestContext, error: unknown): void {
  // Routes are matched on undecoded paths, but Express's own code may meet a path that cannot be
  // decoded.
  const thrown = error instanceof URIError ? new ApiError('invalid_path') : error;
  const answer = toAnswer(thrown, context.id);
  const { status, code, headers, body } = answer;
  context.code = code;
  if (code === 'internal_error')
    parts.deps.logger.error(
      { request_id: context.id, path: context.label, error: describeError(error) },
      'unforeseen error',
    );
  if (context.res.headersSent) context.res.destroy();
  else
    send(
      context,
      isForPerson(context)
        ? refusedPage(context, answer)
        : { status, headers: { ...headers, 'Content-Type': JSON_TYPE }, body },
    );
}

async function answerPage(pages: PageTable, context: RequestContext): Promise<HttpAnswer> {
  const found = await pages.find(context);
  if (found === undefined) throw new ApiError('not_found');
  const handler = found.methods.get(context.method);
  context.label = found.label;
  if (context.method === 'OPTIONS')
    return { status: 204, headers: { Allow: found.allow }, body: '' };
  if (handler === undefined)
    throw new ApiError('method_not_allowed', { headers: { Allow: found.allow } });
  return handler(context);
}

/**
 * A request's way through the server: admission, then API or page, and one place where errors
 * become answers.
 */
export function createApp(parts: AppParts): (req: IncomingMessage, res: ServerResponse) => void {
  const contexts = new WeakMap<IncomingMessage, RequestContext>();
  const contextOf = (req: IncomingMessage): RequestContext => contexts.get(req)!;
  const app = express();
  for (const setting of ['x-powered-by', 'etag', 'query parser', 'trust proxy'])
    app.disable(setting);
  for (const setting of ['case sensitive routing', 'strict routing']) app.enable(setting);

  app.use((req: Request, res: Response, next: NextFunction) => {
    const context = parts.open(req, res);
    contexts.set(req, context);
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) res.setHeader(name, value);
    if (parts.secure) res.setHeader('Strict-Transport-Security', 'max-age=31536000');
    res.setHeader('X-Request-Id', context.id);
    res.once('close', () => logAnswer(parts, context));
    parts.admit(context);
    next();
  });
  app.use(async (req: Request, _res: Response, next: NextFunction) => {
    const context = contextOf(req);
    if (!isApiPath(context.path)) return next();
    await parts.api(context);
  });
  app.use(async (req: Request) => {
    const context = contextOf(req);
    for (const [name, value] of Object.entries(PAGE_HEADERS)) context.res.setHeader(name, value);
    send(context, await answerPage(parts.pages, context));
  });
  // Express recognises an error handler by its four parameters.
  app.use((error: unknown, req: Request, _res: Response, _next: NextFunction) =>
    answerError(parts, contextOf(req), error),
  );
  return app;
}
