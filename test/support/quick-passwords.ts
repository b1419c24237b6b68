/**
 * What a password's hash costs on purpose is left out in servers of the tests' own process;
 * `unit/server/sign-in` and servers that are processes have it.
 */
import crypto, { type Argon2Parameters } from 'node:crypto';

const { argon2 } = crypto;
/** The least that the algorithm takes. */
const LEAST = { memory: 8, passes: 1, parallelism: 1 };

Object.assign(crypto, {
  argon2: (
    algorithm: Parameters<typeof argon2>[0],
    parameters: Argon2Parameters,
    callback: Parameters<typeof argon2>[2],
  ) => argon2(algorithm, { ...parameters, ...LEAST }, callback),
});
