import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { ERROR_STATUS, type ErrorCode } from '../../shared/contract/errors.ts';

const EVERYWHERE: readonly ErrorCode[] = [
  'invalid_request',
  'invalid_query',
  'key_in_url',
  'missing_credentials',
  'invalid_key',
  'key_revoked',
  'key_expired',
  'user_disabled',
  'host_not_allowed',
  'origin_not_allowed',
  'insufficient_scope',
  'method_not_allowed',
  'request_timeout',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'unavailable',
  'quota_exceeded',
];
const WITH_PATH: readonly ErrorCode[] = ['invalid_path', 'invalid_uid'];
const WITH_WRITE: readonly ErrorCode[] = [
  'key_paused',
  'read_only_role',
  'csrf_failed',
  'read_only',
  'storage_full',
];
const WITH_BODY: readonly ErrorCode[] = [
  'invalid_json',
  'invalid_encoding',
  'duplicate_key',
  'forbidden_key',
  'json_too_deep',
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
  'idempotency_in_progress',
  'idempotency_mismatch',
];

/** Every code that an operation can answer with, by status. */
export function errorCodes(
  endpoint: Pick<Endpoint, 'method' | 'path' | 'body' | 'protocol' | 'errors'>,
): Map<number, ErrorCode[]> {
  const codes = new Set([
    ...EVERYWHERE,
    ...(endpoint.path.includes('{') ? WITH_PATH : []),
    ...(endpoint.method === 'GET' ? [] : WITH_WRITE),
    ...(endpoint.body === undefined ? [] : WITH_BODY),
    ...(endpoint.protocol === undefined ? [] : ['unsupported_protocol' as const]),
    ...endpoint.errors,
  ]);
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes)
    byStatus.set(ERROR_STATUS[code], [...(byStatus.get(ERROR_STATUS[code]) ?? []), code]);
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}
