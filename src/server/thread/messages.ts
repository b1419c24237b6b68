import { type StoreOpenCode, StoreOpenError, StoreError } from '../storage/db/errors.ts';
import type { Deps } from '../context/deps.ts';
import { ApiError } from '../context/errors.ts';
import type { AdmittedCall, Performed, PerformedPart } from '../context/call.ts';
import type { HttpAnswer } from '../context/request.ts';
import type { StoreOptions } from '../storage/open.ts';
import type { PoolState } from '../storage/db/session.ts';
import { ownBytes } from './bytes.ts';
import type { StorePorts } from '../storage/db/context.ts';
import type { Commit } from '../storage/log/change-log.ts';
import type { Store, StoreHealth } from '../storage/store.ts';

/** A transaction of the server, as `Store` names it. */
export type Mode = 'read' | 'ask' | 'transact';

/**
 * What the server's thread sends to the thread that holds the store. `id` names a transaction, a
 * call or a question, `at` a call inside a transaction.
 */
export type Order =
  | { do: 'open'; options: StoreOptions; version: string; quotas: StorePorts['quotas'] }
  | {
      do: 'serve';
      deps: Pick<
        Deps,
        'hmacSecret' | 'timeStamps' | 'copies' | 'home' | 'operatorOnly' | 'version' | 'instanceId'
      > & {
        folder: string;
      };
    }
  | { do: 'begin'; id: number; mode: Mode; rest: readonly unknown[] }
  | { do: 'call'; id: number; at: number; path: readonly string[]; args: readonly unknown[] }
  | { do: 'end'; id: number; failed: boolean }
  | { do: 'carry-out'; id: number; route: string; asked: AdmittedCall; url: string }
  | { do: 'backup'; id: number; file: string }
  | { do: 'close'; id: number };

/** What of a store can be asked without waiting. */
export interface StoreState {
  health: StoreHealth;
  local: Store['local'];
  pool: PoolState | undefined;
}

export type CallOutcome = { value: unknown } | { failure: SerializedError };

/** What that thread answers. */
export type Notice =
  | { kind: 'no sqlite' }
  | { kind: 'ready' }
  | {
      kind: 'opened';
      outcome:
        | { value: Pick<Store, 'engine' | 'storeId' | 'epoch'> & StoreState }
        | { failure: SerializedError };
    }
  | { kind: 'called'; id: number; at: number; outcome: CallOutcome }
  | { kind: 'done'; id: number; outcome: CallOutcome }
  | { kind: 'carried-out'; id: number; outcome: { value: Packed } | { failure: SerializedError } }
  | { kind: 'commit'; event: Commit }
  | { kind: 'state'; state: StoreState };

/** An error on its way between threads, which keep neither its class nor its own members. */
export interface SerializedError {
  class: 'StoreError' | 'ApiError' | 'StoreOpenError' | 'Error';
  name: string;
  message: string;
  stack: string | undefined;
  members: Record<string, unknown>;
}

export function packError(error: unknown): SerializedError {
  if (!(error instanceof Error))
    return { class: 'Error', name: 'Error', message: String(error), stack: undefined, members: {} };
  const { name, message, stack } = error;
  const members = Object.fromEntries(
    ['code', 'errcode', 'errstr', 'details', 'headers'].flatMap((key) =>
      key in error ? [[key, Reflect.get(error, key)]] : [],
    ),
  );
  return {
    class:
      error instanceof StoreError
        ? 'StoreError'
        : error instanceof ApiError
          ? 'ApiError'
          : error instanceof StoreOpenError
            ? 'StoreOpenError'
            : 'Error',
    name,
    message,
    stack,
    members,
  };
}

export function unpackError({
  class: kind,
  name,
  message,
  stack,
  members,
}: SerializedError): Error {
  const { code, details, headers } = members as {
    code: ApiError['code'];
    details: ApiError['details'];
    headers: Record<string, string>;
  };
  if (kind === 'StoreError') return new StoreError(code, message, details);
  if (kind === 'ApiError') return new ApiError(code, { message, details, headers });
  if (kind === 'StoreOpenError')
    return new StoreOpenError(members['code'] as StoreOpenCode, message);
  return Object.assign(new Error(message), { name, stack, ...members });
}

/**
 * An answer on its way between threads: a long one as bytes, which change hands instead of being
 * copied.
 */
export interface Packed extends Omit<Performed, 'answer' | 'parts'> {
  answer: Omit<HttpAnswer, 'body' | 'pieces'> & { body: string | Uint8Array };
  parts?: readonly (Omit<PerformedPart, 'fault'> & { fault?: SerializedError })[];
}

/** Characters from which a text travels as bytes. */
const LONG = 16_384;

export function packAnswer({ answer: { status, headers, body }, parts, ...rest }: Performed): {
  value: Packed;
  transfer: ArrayBuffer[];
} {
  const also = {
    ...rest,
    ...(parts !== undefined && {
      parts: parts.map(({ fault, ...part }) =>
        fault === undefined ? part : { ...part, fault: packError(fault) },
      ),
    }),
  };
  if (typeof body === 'string' && body.length < LONG)
    return { value: { answer: { status, headers, body }, ...also }, transfer: [] };
  const bytes = ownBytes(typeof body === 'string' ? Buffer.from(body) : body);
  return { value: { answer: { status, headers, body: bytes }, ...also }, transfer: [bytes.buffer] };
}

export function unpackAnswer({ answer, parts, ...rest }: Packed): Performed {
  const { body } = answer;
  return {
    answer: {
      ...answer,
      body:
        typeof body === 'string'
          ? body
          : Buffer.from(body.buffer, body.byteOffset, body.byteLength),
    },
    ...rest,
    ...(parts !== undefined && {
      parts: parts.map(({ fault, ...part }) =>
        fault === undefined ? part : { ...part, fault: unpackError(fault) },
      ),
    }),
  };
}
