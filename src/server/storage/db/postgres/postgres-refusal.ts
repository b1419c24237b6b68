import { sqlState } from '../errors.ts';

const UNTRUSTED = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];
/**
 * What the codes of PostgreSQL, of Node's network and of TLS mean for whoever wrote DATABASE_URL.
 */
const SENTENCES = new Map<string, string>([
  ['28P01', 'The database server refuses the password in DATABASE_URL.'],
  [
    '28000',
    'The database server does not let the user of DATABASE_URL in from here (pg_hba.conf).',
  ],
  ['3D000', 'The database server has no database of the name in DATABASE_URL.'],
  ['53300', 'The database server has no connection free (max_connections).'],
  ['57P03', 'The database server is starting or stopping; try again.'],
  ['ENOTFOUND', 'The database server cannot be reached: the name in DATABASE_URL is not known.'],
  ['EAI_AGAIN', 'The database server cannot be reached: its name cannot be looked up at present.'],
  [
    'ECONNREFUSED',
    'The database server cannot be reached: nothing listens at the address in DATABASE_URL.',
  ],
  ['ENOENT', 'A file that DATABASE_URL names (sslrootcert, sslcert, sslkey) cannot be read.'],
  ...UNTRUSTED.map(
    (code) =>
      [
        code,
        'The certificate of the database server is of an authority that is not trusted here: ' +
          'name it with sslrootcert=FILE in DATABASE_URL.',
      ] as const,
  ),
  ['CERT_HAS_EXPIRED', 'The certificate of the database server has expired.'],
  [
    'CERT_NOT_YET_VALID',
    'The certificate of the database server is not valid yet; is the clock right?',
  ],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'The certificate of the database server is for another name than the one in DATABASE_URL.',
  ],
]);

/** Why there is no connection to the database, in one sentence without its address or password. */
export function whyNoConnection(error: unknown): string {
  const { code, message } =
    error instanceof Error
      ? (error as Error & { code?: unknown })
      : { code: undefined, message: '' };
  if (sqlState(error) === '28000' && /no encryption|SSL off/.test(message))
    return 'The database server lets the user of DATABASE_URL in over TLS alone: add sslmode=verify-full to DATABASE_URL.';
  if (message === 'The server does not support SSL connections')
    return 'The database server speaks no TLS, which sslmode in DATABASE_URL asks for.';
  return (
    SENTENCES.get(String(code)) ??
    'The database server cannot be reached, or refuses the connection.'
  );
}
