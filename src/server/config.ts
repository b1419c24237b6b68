import { z } from 'zod';
import { isLoopback } from './http/guards.ts';

/** The environment as this product reads it. Everything else in the code gets the parsed object. */
const Environment = z.object({
  EVIDENCE_STUDIO_DATA: z.string().min(1).optional(),
  EVIDENCE_STUDIO_HOST: z.string().min(1).max(253).default('127.0.0.1'),
  EVIDENCE_STUDIO_PORT: z.string().regex(/^(0|[1-9][0-9]{0,4})$/, 'Must be a port number.').transform(Number).pipe(z.int().max(65_535)).optional(),
  /** Address of a hosted server as its users see it. Setting it makes the server a hosted one. */
  EVIDENCE_STUDIO_PUBLIC_URL: z.url({ protocol: /^https$/, error: 'Must be an https address.' }).optional(),
  EVIDENCE_STUDIO_ALLOW_OLD_SQLITE: z.enum(['0', '1']).default('0'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'Must be a postgres:// address.' }).optional(),
  LOG_LEVEL: z.enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
  NODE_ENV: z.string().optional(),
});

export interface Config {
  /** Data folder named by the environment, or undefined for the platform's own. */
  dataFolder: string | undefined;
  host: string;
  /** undefined: the default port, or a free one where that is taken. */
  port: number | undefined;
  publicUrl: URL | undefined;
  databaseUrl: string | undefined;
  allowOldSqlite: boolean;
  logLevel: string;
  /** Compare every answer with its schema. */
  validateAnswers: boolean;
}

/** A setting that cannot be used, in one sentence for the person who made it. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Where a studio listens when nobody says otherwise; a free port where this one is taken. */
export const DEFAULT_PORT = 4748;

export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const { success, data, error } = Environment.safeParse(environment);
  if (!success) {
    const issue = error.issues[0];
    throw new ConfigError(`The environment variable ${String(issue?.path[0])} cannot be used: ${issue?.message}`);
  }
  const config: Config = {
    dataFolder: data.EVIDENCE_STUDIO_DATA,
    host: data.EVIDENCE_STUDIO_HOST,
    port: data.EVIDENCE_STUDIO_PORT,
    publicUrl: data.EVIDENCE_STUDIO_PUBLIC_URL === undefined ? undefined : new URL(data.EVIDENCE_STUDIO_PUBLIC_URL),
    databaseUrl: data.DATABASE_URL,
    allowOldSqlite: data.EVIDENCE_STUDIO_ALLOW_OLD_SQLITE === '1',
    logLevel: data.LOG_LEVEL,
    validateAnswers: data.NODE_ENV === 'test',
  };
  checkBinding(config);
  return config;
}

/** Everybody on a network can reach an address that is not loopback: only a hosted server, with https before it, may listen there. */
export function checkBinding({ host, publicUrl }: { host: string; publicUrl: URL | undefined }): void {
  if (isLoopback(host) || publicUrl?.protocol === 'https:') return;
  throw new ConfigError(
    `Listening on ${host} would let the network in without encryption. Listen on 127.0.0.1, or set EVIDENCE_STUDIO_PUBLIC_URL to the https address that this server is hosted at.`,
  );
}
