import { subjectOf } from '../auth/address.ts';
import { ApiError } from '../context/errors.ts';
import type { RequestContext } from '../context/request.ts';

const FORM_TYPE = /^application\/x-www-form-urlencoded(?:\s*;\s*charset=utf-8)?\s*$/i;
const FORM_LIMIT = 8 * 1024;

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new ApiError('invalid_encoding');
  }
}

/**
 * Parses a form sent by one of our pages: each field at most once, no unknown ones. A field that
 * was not sent is empty.
 */
export async function readForm<K extends string>(
  { req, res, address, bodies }: RequestContext,
  names: readonly K[],
): Promise<Record<K, string>> {
  if (
    !FORM_TYPE.test(req.headers['content-type'] ?? '') ||
    req.headers['content-encoding'] !== undefined
  ) {
    throw new ApiError('unsupported_media_type', { message: 'This page takes a form.' });
  }
  const text = (await bodies.receive(req, res, FORM_LIMIT, subjectOf(address))).toString('latin1');
  const fields = new Map<string, string>();
  for (const pair of text === '' ? [] : text.split('&')) {
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
    if (!(names as readonly string[]).includes(name) || fields.has(name))
      throw new ApiError('invalid_request', {
        message: 'The form has a field that this page does not have, or one twice.',
      });
    fields.set(name, decode(value));
  }
  return Object.fromEntries(names.map((name) => [name, fields.get(name) ?? ''])) as Record<
    K,
    string
  >;
}
