import type { ErrorCode } from '../../shared/contract/errors.ts';
import { spokenLanguage, t, tOf } from '../text/t.ts';

/** What a code says by itself; the others are nothing without the server's own sentence. */
const BY_CODE: Partial<Record<ErrorCode, string>> = {
  wrong_password: t('The password is not right.'),
  password_needed: t('Give your password again.'),
  read_only_role: t('Your role in this account reads only.'),
  insufficient_scope: t('The key does not have the right for this.'),
  operator_only: t('Only whoever runs the server can do this.'),
  quota_exceeded: t('The account has used up what it may store.'),
  precondition_failed: t('Somebody else has changed this since it was loaded.'),
  no_connection: t('The hosted server could not be connected to.'),
  other_user: t('Work of another user of the hosted server has not been sent yet.'),
  payload_too_large: t('This is more than the server takes at once.'),
  request_timeout: t('The request took too long to arrive.'),
  rate_limited: t('Too many requests; wait and try again.'),
  internal_error: t('Something went wrong inside the server.'),
  integrity_error: t('A stored record no longer matches its hash.'),
  unavailable: t('The server cannot answer now; try again.'),
  read_only: t('The server takes no changes now.'),
  storage_full: t('There is no room left to write.'),
};

/**
 * The API speaks English: its sentence as it is, unless the reader's language has the same sentence
 * or one for the code.
 */
export function refusalWords({ code, message }: { code: string; message: string }): string {
  if (spokenLanguage() === 'en') return message;
  const said = tOf(message);
  return said === message ? (BY_CODE[code as ErrorCode] ?? message) : said;
}

const LENGTH = /^Must have at (most|least) (\d+) characters\.$/;

/** What a schema says of a field. */
export function schemaWords(message: string): string {
  const [, bound, digits] = LENGTH.exec(message) ?? [];
  const count = Number(digits);
  if (bound === 'most') return t('Must have at most {count} characters.', { count });
  return bound === 'least' ? t('Must have at least {count} characters.', { count }) : tOf(message);
}
