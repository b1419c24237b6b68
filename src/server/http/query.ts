import type { z } from 'zod';
import { ApiError } from '../context/errors.ts';
import { parseWith } from './issues.ts';

const NAME = /^[a-z][a-z0-9_]{0,63}$/;

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new ApiError('invalid_query', { message: 'The query cannot be decoded.' });
  }
}

/** `name=value` pairs, each name at most once. No arrays, no nesting, no prototype to reach. */
export function parseQuery<S extends z.ZodType>(search: string, schema: S): z.output<S> {
  const values = new Map<string, string>();
  for (const part of search === '' ? [] : search.split('&')) {
    const equals = part.indexOf('=');
    const name = decode(equals === -1 ? part : part.slice(0, equals));
    if (!NAME.test(name))
      throw new ApiError('invalid_query', {
        message: 'The query has a parameter that is not known here.',
      });
    if (values.has(name))
      throw new ApiError('invalid_query', {
        details: [{ path: name, code: 'repeated', message: 'This parameter may be given once.' }],
      });
    values.set(name, decode(equals === -1 ? '' : part.slice(equals + 1)));
  }
  return parseWith(schema, Object.fromEntries(values), 'invalid_query', (path) => path.slice(1));
}
