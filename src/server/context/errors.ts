import {
  ERROR_STATUS,
  type ErrorCode,
  type ErrorDetail,
  MAX_DETAILS,
} from '../../shared/contract/errors.ts';
import { StoreError } from '../storage/db/errors.ts';

export const SENTENCES: Record<ErrorCode, string> = {
  invalid_request: 'The request cannot be read.',
  invalid_path: 'The path cannot be decoded.',
  invalid_uid: 'An identifier in the path has the wrong form.',
  invalid_query: 'The query is not acceptable.',
  key_in_url:
    'A key must travel in the Authorization header, never in a URL. Revoke this one: it may have been logged on its way.',
  invalid_json: 'The body is not the JSON that this service takes.',
  invalid_encoding: 'The body is not UTF-8.',
  duplicate_key: 'An object in the body names the same key twice.',
  forbidden_key: 'An object in the body holds a key that is not allowed.',
  json_too_deep: 'The body is nested more than 32 levels deep.',
  missing_credentials: 'Send an API key as "Authorization: Bearer <key>", or sign in.',
  invalid_key: 'The API key is not valid.',
  key_revoked: 'This API key has been revoked.',
  key_expired: 'This API key has expired.',
  user_disabled: 'Whoever runs this server has ended the access of the person whose key this is.',
  host_not_allowed: 'This host name is not served here.',
  origin_not_allowed: 'Requests from other web pages are not served.',
  insufficient_scope: 'These credentials do not allow this operation.',
  key_paused:
    'A person has paused this key: it may read, and write again once it is resumed on the account page.',
  author_not_allowed:
    'These credentials may send their own changes only; nothing was stored. ' +
    'A studio exchanges with a key that "Connect a studio" on the account page shows.',
  read_only_role: 'A viewer of this account may read and not write.',
  csrf_failed: 'A write with a browser session must come from a page of this server.',
  password_needed: 'This needs the password again: it was given more than fifteen minutes ago.',
  wrong_password: 'The password is not right.',
  operator_only: 'On this server that is done by whoever runs it: ask them.',
  quota_exceeded: 'The account has used up what it may have.',
  not_found: 'There is no such object here.',
  not_here_yet: 'It is named here, and its content has not come yet.',
  method_not_allowed: 'This path does not take this method.',
  request_timeout: 'The request took too long to arrive.',
  conflict: 'The request is at odds with what is stored.',
  version_conflict: 'This version exists with other content.',
  uid_taken: 'The name of this profile belongs to somebody else.',
  contested_profile: 'Several documents stand under this version of the profile.',
  idempotency_in_progress: 'A request with this Idempotency-Key is still being worked on.',
  contested_cells: 'Some cells are contested.',
  case_approved:
    'The case is approved: nothing more is recorded in it until an owner opens it again. ' +
    'Outcomes can be suggested.',
  missing_blobs: 'Some of the content that the run names is not here.',
  diverged: 'This log never had the position that the request names.',
  other_user: 'Work of another user of the hosted server has not been sent yet.',
  precondition_failed: 'The record has another version than the request demands.',
  payload_too_large: 'The body is too large.',
  unsupported_media_type: 'The body must be application/json in UTF-8, without content coding.',
  validation_failed: 'The request does not have the shape that this operation takes.',
  citation_required:
    'This case asks for what an outcome rests on: a source value, a quote or a provenance. Nothing was stored.',
  unused_profile: 'The case has never used this profile.',
  empty_matrix: 'There is nothing to run: the case has no items.',
  idempotency_mismatch: 'This Idempotency-Key was used with another request.',
  hash_mismatch: 'What was sent does not hash to its name.',
  no_connection: 'The hosted server could not be connected to.',
  unsupported_protocol:
    'This server speaks another version of the sync protocol; GET /api/v1/sync/hello tells which.',
  rate_limited: 'Too many requests; wait and try again.',
  headers_too_large: 'The request line and headers are too large.',
  internal_error: 'Something went wrong inside the server.',
  integrity_error: 'A stored record no longer matches its hash.',
  unavailable: 'The server cannot answer now; try again.',
  read_only: 'The server takes no writes now.',
  storage_full: 'There is no room left to write.',
};

/** Thrown to answer a request with an error. `headers` are sent along with the error envelope. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[];
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    code: ErrorCode,
    options: {
      message?: string;
      details?: readonly ErrorDetail[];
      headers?: Record<string, string>;
    } = {},
  ) {
    super(options.message ?? SENTENCES[code]);
    this.code = code;
    this.details = options.details ?? [];
    this.headers = options.headers ?? {};
  }
}

export interface ErrorAnswer {
  status: number;
  code: ErrorCode;
  message: string;
  headers: Record<string, string>;
  body: string;
}

function headersOf(code: ErrorCode): Record<string, string> {
  const status = ERROR_STATUS[code];
  if (status === 401) return { 'WWW-Authenticate': 'Bearer' };
  if (status === 503 || code === 'rate_limited' || code === 'idempotency_in_progress')
    return { 'Retry-After': '1' };
  return {};
}

/**
 * Turns any thrown value into an answer. An unexpected one becomes `internal_error`, and nothing of
 * it is shown.
 */
export function toAnswer(thrown: unknown, requestId: string): ErrorAnswer {
  const known = thrown instanceof ApiError || thrown instanceof StoreError;
  const code = known ? thrown.code : 'internal_error';
  const message = known && thrown.message !== '' ? thrown.message : SENTENCES[code];
  const details = known ? thrown.details.slice(0, MAX_DETAILS) : [];
  const more = known ? thrown.details.length - details.length : 0;
  const headers = { ...headersOf(code), ...(thrown instanceof ApiError ? thrown.headers : {}) };
  return {
    status: ERROR_STATUS[code],
    code,
    message,
    headers,
    body: JSON.stringify({
      error: code,
      message,
      details,
      ...(more > 0 && { more }),
      request_id: requestId,
    }),
  };
}
