import { z } from 'zod';
import type { RateLimit } from './deps.ts';
import { isLoopback } from './http/guards.ts';
import { parseNetwork } from './http/proxies.ts';
import type { Quotas } from './storage/db/context.ts';

/** Where a studio listens when nobody says otherwise; a free port where this one is taken. */
export const DEFAULT_PORT = 4748;

const number = (max: number) =>
  z
    .string()
    .regex(/^(0|[1-9][0-9]{0,9})$/, 'Must be a whole number.')
    .transform(Number)
    .pipe(z.int().max(max));
const Address = z
  .string()
  .regex(
    /^(?:\[[0-9a-f:]{2,39}\]|[a-z0-9][a-z0-9.-]{0,252}):(?:0|[1-9][0-9]{0,4})$/i,
    'Must be an address and a port, such as 127.0.0.1:9464.',
  )
  .transform((text) => {
    const colon = text.lastIndexOf(':');
    return {
      host: text.slice(0, colon).replace(/^\[(.*)\]$/, '$1'),
      port: Number(text.slice(colon + 1)),
    };
  });
/**
 * Without https a password can be read in transit, so this is allowed on the computer itself only,
 * for development.
 */
function isPublicUrl(text: string): boolean {
  const { protocol, hostname, port } = new URL(text);
  return (
    protocol === 'https:' ||
    (protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(hostname) && port !== '')
  );
}
/** What docs/environment.md says of a setting. */
const about = (part: 'Where' | 'Hosted' | 'Limits' | 'Operation', description: string) => ({
  part,
  description,
});

/**
 * The environment variables that this program reads; docs/environment.md is made from this schema.
 * All other code gets the parsed object.
 */
export const Environment = z.object({
  EVIDENCE_STUDIO_DATA: z
    .string()
    .min(1)
    .optional()
    .meta(
      about(
        'Where',
        'The data folder; the application data folder of the system where it is not set.',
      ),
    ),
  EVIDENCE_STUDIO_HOST: z
    .string()
    .min(1)
    .max(253)
    .default('127.0.0.1')
    .meta(
      about(
        'Where',
        'The address to listen on. One that is not loopback needs `EVIDENCE_STUDIO_PUBLIC_URL`.',
      ),
    ),
  EVIDENCE_STUDIO_PORT: number(65_535)
    .optional()
    .meta(
      about(
        'Where',
        `The port to listen on; 0 picks a free one. Not set: ${DEFAULT_PORT}, or a free one where that is taken.`,
      ),
    ),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'Must be a postgres:// address.' })
    .optional()
    .meta(about('Where', 'Keep the data in this PostgreSQL. Not set: SQLite in the data folder.')),
  EVIDENCE_STUDIO_DATABASE_CONNECTIONS: number(500)
    .refine((most) => most > 1, 'Must be at least 2.')
    .optional()
    .meta(
      about('Where', 'The most connections that this process holds to PostgreSQL. Not set: 10.'),
    ),
  EVIDENCE_STUDIO_SECRET_FILE: z
    .string()
    .min(1)
    .optional()
    .meta(
      about(
        'Where',
        'A file with the secret that API keys are stored under: 32 bytes in base64, such as `openssl rand -base64 32` makes. All instances on one database need the same. Not set: `pepper.key` in the data folder, made at first start.',
      ),
    ),

  EVIDENCE_STUDIO_PUBLIC_URL: z
    .url()
    .refine(isPublicUrl, 'Must be an https address.')
    .optional()
    .meta(
      about(
        'Hosted',
        'The https address of a hosted server as its users see it. Setting it makes the server a hosted one. For development also `http://127.0.0.1:PORT` or `http://localhost:PORT`.',
      ),
    ),

  EVIDENCE_STUDIO_TRUSTED_PROXIES: z
    .string()
    .transform((text, ctx) => {
      const networks = text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '');
      if (networks.some((network) => parseNetwork(network) === undefined))
        ctx.addIssue(
          'Must be addresses and networks such as 10.0.0.0/8, with commas between them.',
        );
      return networks;
    })
    .default([])
    .meta(
      about(
        'Hosted',
        "Addresses and networks (`127.0.0.1,10.0.0.0/8`) of the reverse proxies before this server. Their `X-Forwarded-For` tells the client that limits count; nobody else's does.",
      ),
    ),
  EVIDENCE_STUDIO_ACCOUNTS: z
    .enum(['operator', 'anyone'])
    .optional()
    .meta(
      about(
        'Hosted',
        '`operator`: accounts are opened at the command line alone (`admin create --team`); `anyone`: by everybody who is signed in. Not set: `operator`.',
      ),
    ),
  EVIDENCE_STUDIO_PUBLISHING: z
    .enum(['operator', 'owners'])
    .optional()
    .meta(
      about(
        'Hosted',
        '`operator`: profiles are shown to every account at the command line alone (`admin publish`); `owners`: by the owners of an account, each under names of their own. Not set: `operator` where hosted, else `owners`.',
      ),
    ),
  EVIDENCE_STUDIO_OFFLINE_COPIES: z
    .enum(['on', 'off'])
    .default('on')
    .meta(
      about(
        'Hosted',
        'Whether a browser keeps an encrypted copy of what its person has opened, until they sign out. `off`: nothing of it outlives the window, nothing opens without the server, and a window with unsent changes asks before it is closed.',
      ),
    ),
  EVIDENCE_STUDIO_OFFLINE_HOURS: number(168)
    .prefault('12')
    .meta(
      about(
        'Hosted',
        'How long a browser opens its copy without having reached the server, in hours; as long as a session lasts without use where it is not set. After that it asks to sign in, and keeps unsent changes sealed until the same person has. 0: never without the server.',
      ),
    ),
  EVIDENCE_STUDIO_LEAVE_SECONDS: number(300)
    .prefault('0')
    .meta(
      about(
        'Hosted',
        'How long a server that was told to stop goes on answering while `/readyz` says no, so that a load balancer turns away first. At least twice its checking interval.',
      ),
    ),

  EVIDENCE_STUDIO_RATE_LIMIT: z
    .string()
    .regex(
      /^(off|[1-9][0-9]{0,5}(\/[1-9][0-9]{0,5}){3})$/,
      'Must be off or four numbers, such as 60/20/1200/400.',
    )
    .optional()
    .meta(
      about(
        'Limits',
        'Requests a second of one key or person, writes among them, requests of an account, writes among them: `60/20/1200/400`. `off`: none. Not set: these where hosted, else none. Instances on one PostgreSQL keep the limits together.',
      ),
    ),
  EVIDENCE_STUDIO_CONNECTIONS: number(1_000_000)
    .optional()
    .meta(
      about(
        'Limits',
        "Most connections at a time; where all are taken, the one that has been idle the longest gives way, or else one whose request is still coming. Not set: 4096 where hosted, 128 else. Hosted, an address that is no proxy's has a quarter of them, event streams and requests under way of one account an eighth each, event streams of one person a thirty-second part. An IPv6 network (/64) is one address.",
      ),
    ),

  EVIDENCE_STUDIO_QUOTA_CASES: number(1_000_000_000)
    .optional()
    .meta(
      about(
        'Limits',
        'Most cases of an account. What is deleted stays in the log, and counts. A write that would be over a quota is 403 `quota_exceeded` and stores nothing.',
      ),
    ),
  EVIDENCE_STUDIO_QUOTA_CHANGES: number(1_000_000_000)
    .optional()
    .meta(
      about(
        'Limits',
        'Most recorded changes of an account, over all of its logs: a bound of what it stores, whoever sends it.',
      ),
    ),
  EVIDENCE_STUDIO_QUOTA_RUNS: number(1_000_000_000)
    .optional()
    .meta(about('Limits', 'Most frozen runs of an account.')),
  EVIDENCE_STUDIO_QUOTA_REQUESTS: number(1_000_000_000)
    .optional()
    .meta(
      about(
        'Limits',
        'Most requests of an account with keys in a calendar month (UTC), as its usage counts them. Known to all instances a second later.',
      ),
    ),

  EVIDENCE_STUDIO_METRICS: Address.optional().meta(
    about(
      'Operation',
      'Address and port, such as `127.0.0.1:9464`, of a second door for those who run the server: `/metrics` (Prometheus), `/healthz` and `/readyz` of this instance. Not set: none. Never to be published.',
    ),
  ),
  EVIDENCE_STUDIO_METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{32,256}$/, 'Must be 32 to 256 visible ASCII characters.')
    .optional()
    .meta(
      about(
        'Operation',
        'What a reader of `/metrics` shows as `Authorization: Bearer`. Required where `EVIDENCE_STUDIO_METRICS` is not loopback.',
      ),
    ),
  LOG_LEVEL: z
    .enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'])
    .default('info')
    .meta(about('Operation', 'What is logged, as JSON lines on standard error.')),
  EVIDENCE_STUDIO_LOG_CLIENTS: z
    .enum(['0', '1'])
    .default('0')
    .meta(
      about(
        'Operation',
        '1: each line of the log for a request names the address of its client (`address`) and, where known, the identifier of the user (`user_id`). These are data about persons: keep such logs no longer than you need them.',
      ),
    ),
  EVIDENCE_STUDIO_ALLOW_OLD_SQLITE: z
    .enum(['0', '1'])
    .default('0')
    .meta(
      about(
        'Operation',
        '1: open the data with a SQLite older than 3.51.3, which can corrupt a file in rare races.',
      ),
    ),
  NODE_ENV: z
    .string()
    .optional()
    .meta(
      about('Operation', '`test`: compare every answer with its schema, at the price of speed.'),
    ),
});

export interface Config {
  /** Data folder named by the environment, or undefined for the platform's own. */
  dataFolder: string | undefined;
  host: string;
  /** undefined: the default port, or a free one where that is taken. */
  port: number | undefined;
  publicUrl: URL | undefined;
  databaseUrl: string | undefined;
  databaseConnections: number | undefined;
  /** File of the secret for API keys, if it is not kept in the data folder. */
  secretFile: string | undefined;
  trustedProxies: readonly string[];
  /**
   * Who opens accounts, and who shows profiles to every account; undefined: what suits the way the
   * server is run.
   */
  accounts: 'operator' | 'anyone' | undefined;
  publishing: 'operator' | 'owners' | undefined;
  /** Whether browsers keep copies, and how long these open without the server. */
  offlineCopies: boolean;
  offlineMs: number;
  leaveMs: number;
  /** `default`: what suits the way the server is run. */
  rateLimit: RateLimit | 'default' | undefined;
  connections: number | undefined;
  quotas: Quotas;
  requestQuota: number | undefined;
  /** Where metrics are served, and the token that readers need. */
  metrics: { host: string; port: number; token: string | undefined } | undefined;
  allowOldSqlite: boolean;
  logLevel: string;
  /** Whether the log says from where and by whom requests came. */
  logClients: boolean;
  /** Compare every answer with its schema; for tests. */
  validateAnswers: boolean;
}

/** A setting that cannot be used; the message is a sentence for the person who made it. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Unknown names are refused: a misspelt limit would otherwise be no limit. */
function refuseUnknown(environment: Readonly<Record<string, string | undefined>>): void {
  const unknown = Object.keys(environment).find(
    (name) => name.startsWith('EVIDENCE_STUDIO_') && !Object.hasOwn(Environment.shape, name),
  );
  if (unknown !== undefined)
    throw new ConfigError(
      `The environment variable ${unknown} is not known. See docs/environment.md.`,
    );
}

function toRateLimit(text: string | undefined): Config['rateLimit'] {
  if (text === undefined) return 'default';
  if (text === 'off') return undefined;
  const [perSecond, writesPerSecond, ofAccount, writesOfAccount] = text.split('/').map(Number) as [
    number,
    number,
    number,
    number,
  ];
  return {
    perSecond,
    writesPerSecond,
    account: { perSecond: ofAccount, writesPerSecond: writesOfAccount },
  };
}

export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  refuseUnknown(environment);
  const { success, data, error } = Environment.safeParse(environment);
  if (!success) {
    const issue = error.issues[0];
    throw new ConfigError(
      `The environment variable ${String(issue?.path[0])} cannot be used: ${issue?.message}`,
    );
  }
  const config: Config = {
    dataFolder: data.EVIDENCE_STUDIO_DATA,
    host: data.EVIDENCE_STUDIO_HOST,
    port: data.EVIDENCE_STUDIO_PORT,
    publicUrl:
      data.EVIDENCE_STUDIO_PUBLIC_URL === undefined
        ? undefined
        : new URL(data.EVIDENCE_STUDIO_PUBLIC_URL),
    databaseUrl: data.DATABASE_URL,
    databaseConnections: data.EVIDENCE_STUDIO_DATABASE_CONNECTIONS,
    secretFile: data.EVIDENCE_STUDIO_SECRET_FILE,
    trustedProxies: data.EVIDENCE_STUDIO_TRUSTED_PROXIES,
    accounts: data.EVIDENCE_STUDIO_ACCOUNTS,
    publishing: data.EVIDENCE_STUDIO_PUBLISHING,
    offlineCopies: data.EVIDENCE_STUDIO_OFFLINE_COPIES === 'on',
    offlineMs: data.EVIDENCE_STUDIO_OFFLINE_HOURS * 3_600_000,
    leaveMs: data.EVIDENCE_STUDIO_LEAVE_SECONDS * 1_000,
    rateLimit: toRateLimit(data.EVIDENCE_STUDIO_RATE_LIMIT),
    connections: data.EVIDENCE_STUDIO_CONNECTIONS,
    quotas: {
      cases: data.EVIDENCE_STUDIO_QUOTA_CASES,
      changes: data.EVIDENCE_STUDIO_QUOTA_CHANGES,
      runs: data.EVIDENCE_STUDIO_QUOTA_RUNS,
    },
    requestQuota: data.EVIDENCE_STUDIO_QUOTA_REQUESTS,
    metrics: data.EVIDENCE_STUDIO_METRICS && {
      ...data.EVIDENCE_STUDIO_METRICS,
      token: data.EVIDENCE_STUDIO_METRICS_TOKEN,
    },
    allowOldSqlite: data.EVIDENCE_STUDIO_ALLOW_OLD_SQLITE === '1',
    logLevel: data.LOG_LEVEL,
    logClients: data.EVIDENCE_STUDIO_LOG_CLIENTS === '1',
    validateAnswers: data.NODE_ENV === 'test',
  };
  checkBinding(config);
  if (
    config.metrics !== undefined &&
    config.metrics.token === undefined &&
    !isLoopback(config.metrics.host)
  )
    throw new ConfigError(
      'EVIDENCE_STUDIO_METRICS is not a loopback address: set EVIDENCE_STUDIO_METRICS_TOKEN.',
    );
  return config;
}

/**
 * Refuses to listen on an address that others on the network can reach, unless the server is hosted
 * with https in front.
 */
export function checkBinding({
  host,
  publicUrl,
}: {
  host: string;
  publicUrl: URL | undefined;
}): void {
  if (isLoopback(host) || publicUrl?.protocol === 'https:') return;
  throw new ConfigError(
    `Listening on ${host} would let the network in without encryption. Listen on 127.0.0.1, or set EVIDENCE_STUDIO_PUBLIC_URL to the https address that this server is hosted at.`,
  );
}
