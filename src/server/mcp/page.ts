import { createMcpHandler } from '@modelcontextprotocol/server';
import { subjectOf } from '../auth/address.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import { covers } from '../../shared/contract/rights.ts';
import { BODY_LIMIT } from '../../shared/contract/endpoint.ts';
import { ApiError } from '../context/errors.ts';
import type { Principal } from '../context/principal.ts';
import type { HttpAnswer, RequestContext } from '../context/request.ts';
import { readJson, receiveJson, requireJson } from '../http/body.ts';
import type { SendWithin } from '../http/requests-within.ts';
import { createMcpServer } from './server.ts';
import { createStudio } from './studio.ts';

/** Headers of the protocol, which its handler reads; everything else is ours. */
const PASSED = /^(accept|content-type|last-event-id|mcp-.*)$/;

function headersOf({ headers }: RequestContext['req']): Headers {
  const passed = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (PASSED.test(name) && typeof value === 'string') passed.set(name, value);
  return passed;
}

async function toAnswer(response: Response): Promise<HttpAnswer> {
  const headers = Object.fromEntries(response.headers);
  const { status, body } = response;
  if (body === null || !response.headers.get('content-type')?.startsWith('text/event-stream'))
    return { status, headers, body: await response.text() };
  const decoder = new TextDecoder();
  async function* pieces(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
    for await (const chunk of stream) yield decoder.decode(chunk, { stream: true });
  }
  return { status, headers, body: '', pieces: pieces(body) };
}

/**
 * The tools over HTTP, for clients of either era, without sessions. Whatever a tool does is
 * a request to the API under the caller's key, with its guards, limits and rights.
 */
export function createMcpPage(
  version: string,
  authenticator: Pick<Authenticator, 'principal'>,
  sendWithin: SendWithin,
): (context: RequestContext) => Promise<HttpAnswer> {
  const callers = new WeakMap<Request, { context: RequestContext; principal: Principal }>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const { context, principal } = callers.get(requestInfo!)!;
      const { authorization = '' } = context.req.headers;
      return createMcpServer({
        version,
        mayWrite: covers(principal.scopes, ['write']),
        studio: async () =>
          createStudio(
            (request) =>
              sendWithin(context, {
                ...request,
                headers: { ...request.headers, authorization },
              }),
            principal.actor.key_id ?? undefined,
          ),
      });
    },
    { maxRequestBodySize: BODY_LIMIT },
  );
  return async (context) => {
    requireJson(context);
    const principal = await authenticator.principal(context);
    context.principal = principal;
    if (principal.authMethod !== 'key') throw new ApiError('missing_credentials');
    const { value } = await readJson(
      await receiveJson(context, BODY_LIMIT, subjectOf(context.address)),
    );
    const gone = new AbortController();
    context.res.once('close', () => gone.abort());
    const request = new Request('http://studio/mcp', {
      method: context.method,
      headers: headersOf(context.req),
      signal: gone.signal,
    });
    callers.set(request, { context, principal });
    return toAnswer(await handler.fetch(request, { parsedBody: value }));
  };
}
