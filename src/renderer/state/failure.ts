import { failureText } from '../../shared/contract/call.ts';
import type { ErrorDetail } from '../../shared/contract/errors.ts';
import { CallError } from '../data/api/client.ts';
import { t, tOf } from '../text/t.ts';
import { refusalWords } from './refusal-words.ts';

/** Any failure of a call, in words for the person at the screen. */
export interface ShownFailure {
  kind: 'offline' | 'signed-out' | 'missing' | 'refused' | 'broken';
  title: string;
  message: string;
  /** The server's code, where it answered with one. */
  code: string | undefined;
  details: readonly ErrorDetail[];
  requestId: string | undefined;
}

const TITLE: Record<ShownFailure['kind'], string> = {
  offline: t('The server cannot be reached'),
  'signed-out': t('Your session has ended'),
  missing: t('Not found'),
  refused: t('The server refused this'),
  broken: t('Something went wrong'),
};

/** Thrown where what an address names is not in the list that was asked. */
export class MissingError extends Error {
  override name = 'MissingError';
}

const SIGNED_OUT: ReadonlySet<string> = new Set([
  'missing_credentials',
  'invalid_key',
  'key_revoked',
  'key_expired',
  'user_disabled',
]);
const MISSING: ReadonlySet<string> = new Set(['not_found', 'invalid_path', 'invalid_uid']);

function kindOf(code: string, status: number): ShownFailure['kind'] {
  if (SIGNED_OUT.has(code)) return 'signed-out';
  if (MISSING.has(code)) return 'missing';
  return status >= 500 ? 'broken' : 'refused';
}

const OFFLINE_TEXT = t(
  'What is already on this computer stays available; the page asks again when the connection returns.',
);

export function describeFailure(error: unknown): ShownFailure {
  const failure = error instanceof CallError ? error.failure : undefined;
  if (failure?.kind === 'refused') {
    const kind = kindOf(failure.code, failure.status);
    const { code, details } = failure;
    // The server's own words are for programs.
    const message =
      kind === 'signed-out'
        ? t('Sign in to continue. Pending changes stay in this browser.')
        : refusalWords(failure);
    return {
      kind,
      title: TITLE[kind],
      message,
      code,
      details,
      requestId: failure.requestId ?? undefined,
    };
  }
  if (error instanceof MissingError)
    return {
      kind: 'missing',
      title: TITLE.missing,
      message: error.message,
      code: 'not_found',
      details: [],
      requestId: undefined,
    };
  const plain = { code: undefined, details: [], requestId: undefined };
  if (failure?.kind === 'no_answer')
    return {
      kind: 'offline',
      title: TITLE.offline,
      message:
        failure.reason === 'timeout'
          ? `${tOf(failureText(failure))} ${OFFLINE_TEXT}`
          : OFFLINE_TEXT,
      ...plain,
    };
  const message =
    failure === undefined
      ? error instanceof Error
        ? error.message
        : t('There is no further information.')
      : tOf(failureText(failure));
  return { kind: 'broken', title: TITLE.broken, message, ...plain };
}

/**
 * Ends what the request names. That it has ended already is no failure: somebody else may have been
 * faster, and a browser sends a request again whose connection broke before the answer came.
 */
export async function endOnce(ending: Promise<unknown>): Promise<void> {
  try {
    await ending;
  } catch (error) {
    if (describeFailure(error).code !== 'not_found') throw error;
  }
}
