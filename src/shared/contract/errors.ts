/** Every error code of the API with its HTTP status: a closed set, the same for REST and sync. */
export const ERROR_STATUS = {
  invalid_request: 400,
  invalid_path: 400,
  invalid_uid: 400,
  invalid_query: 400,
  key_in_url: 400,
  invalid_json: 400,
  invalid_encoding: 400,
  duplicate_key: 400,
  forbidden_key: 400,
  json_too_deep: 400,
  missing_credentials: 401,
  invalid_key: 401,
  key_revoked: 401,
  key_expired: 401,
  user_disabled: 401,
  host_not_allowed: 403,
  origin_not_allowed: 403,
  insufficient_scope: 403,
  key_paused: 403,
  author_not_allowed: 403,
  read_only_role: 403,
  csrf_failed: 403,
  quota_exceeded: 403,
  password_needed: 403,
  wrong_password: 403,
  operator_only: 403,
  not_found: 404,
  not_here_yet: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  version_conflict: 409,
  uid_taken: 409,
  contested_profile: 409,
  idempotency_in_progress: 409,
  contested_cells: 409,
  case_approved: 409,
  diverged: 409,
  missing_blobs: 409,
  other_user: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  citation_required: 422,
  empty_matrix: 422,
  unused_profile: 422,
  idempotency_mismatch: 422,
  hash_mismatch: 422,
  no_connection: 422,
  unsupported_protocol: 426,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  integrity_error: 500,
  unavailable: 503,
  read_only: 503,
  storage_full: 507,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/**
 * One place in the input that was refused: `path` is a JSON Pointer (RFC 6901) into the body, or
 * the name of a parameter.
 */
export interface ErrorDetail {
  path: string;
  code: string;
  message: string;
}

/** At most this many details travel in one answer. */
export const MAX_DETAILS = 50;
