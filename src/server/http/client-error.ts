import type { Duplex } from 'node:stream';
import type { ErrorCode } from '../../shared/contract/errors.ts';
import { ApiError, toAnswer } from '../context/errors.ts';
import { JSON_TYPE, SECURITY_HEADERS } from './headers.ts';

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

function codeOf(error: Error): ErrorCode {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  return 'invalid_request';
}

/**
 * Answers bytes that never became a request: the usual error envelope, written by hand, after which
 * the connection ends.
 */
export function answerClientError(error: Error, socket: Duplex, requestId: string): ErrorCode {
  const code = codeOf(error);
  const { status, body } = toAnswer(new ApiError(code), requestId);
  const headers = {
    ...SECURITY_HEADERS,
    'Content-Type': JSON_TYPE,
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': requestId,
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${REASONS[status]}\r\n${lines.join('')}\r\n${body}`);
  return code;
}
