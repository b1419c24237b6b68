/**
 * Expression by which PostgreSQL computes the number of an account from its id, as `accountNumber`
 * does.
 */
export const numberOf = (id: string): string =>
  `(('x' || left(encode(sha256(${id}::bytea), 'hex'), 13))::bit(52)::bigint)`;
