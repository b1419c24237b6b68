import type { z } from 'zod';
import {
  type CallInput,
  type CallResult,
  parseRetryAfter,
  pathOf,
  readAnswer,
  takesBody,
} from '../../shared/contract/call.ts';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { ToolProblem, problemOf } from './problems.ts';

/** One HTTP request to the studio that the tools work with, with its key. */
export interface StudioRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}
export interface StudioResponse {
  status: number;
  text: string;
  /** Value of a header; null where there is none. */
  header(name: string): string | null;
}
export type SendRequest = (request: StudioRequest) => Promise<StudioResponse>;

type StudioInput<E extends Endpoint> = Pick<
  CallInput<E, never>,
  'params' | 'query' | 'body' | 'headers'
>;

/** The studio, as the tools see it: the operations of its API and nothing else. */
export interface StudioCalls {
  /** What was answered; throws ToolProblem where it was refused. */
  call<E extends Endpoint>(endpoint: E, input?: StudioInput<E>): Promise<z.output<E['response']>>;
  /** Identifier of the key that is used; undefined while there is none. */
  keyId: string | undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function createStudio(send: SendRequest, keyId: string | undefined): StudioCalls {
  return {
    keyId,
    async call<E extends Endpoint>(
      endpoint: E,
      { params, query, body, headers }: StudioInput<E> = {},
    ) {
      const hasBody = takesBody(endpoint);
      const response = await send({
        method: endpoint.method,
        path: pathOf(
          endpoint,
          params as Record<string, string> | undefined,
          query as Record<string, string | undefined> | undefined,
        ),
        headers: {
          accept: 'application/json',
          ...(hasBody && { 'content-type': 'application/json' }),
          ...headers,
        },
        body: hasBody ? JSON.stringify(body ?? {}) : undefined,
      }).catch((error: unknown) => {
        if (error instanceof ToolProblem) throw error;
        throw problemOf({ kind: 'no_answer', reason: 'network' });
      });
      const result = readAnswer(endpoint, {
        status: response.status,
        value: parsed(response.text),
        retryAfter: parseRetryAfter({
          header: response.header('retry-after'),
          date: response.header('date'),
        }),
      }) as CallResult<z.output<E['response']>>;
      if (result.kind === 'ok') return result.body;
      throw problemOf(result);
    },
  };
}
