import { z } from 'zod';
import { about } from './about.ts';
import { BLOB_SETTINGS } from './blob-settings.ts';
import { parseNetwork } from './network.ts';
import { NOTICE_SETTINGS } from './notice-settings.ts';
import { SHARED_LIMIT_SETTINGS } from './shared-limit-settings.ts';
import { TIME_STAMP_SETTINGS } from './time-stamp-settings.ts';

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
        'A file with the secret that API keys are stored under: 32 bytes in base64, ' +
          'such as `openssl rand -base64 32` makes. All instances on one database need the ' +
          'same. Not set: `pepper.key` in the data folder, made at first start.',
      ),
    ),

  ...BLOB_SETTINGS,

  EVIDENCE_STUDIO_PUBLIC_URL: z
    .url()
    .refine(isPublicUrl, 'Must be an https address.')
    .optional()
    .meta(
      about(
        'Hosted',
        'The https address of a hosted server as its users see it. ' +
          'Setting it makes the server a hosted one. For development also ' +
          '`http://127.0.0.1:PORT` or `http://localhost:PORT`.',
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
        'Addresses and networks (`127.0.0.1,10.0.0.0/8`) of the reverse proxies before this ' +
          'server. Their `X-Forwarded-For` tells the client that limits count; ' +
          "nobody else's does.",
      ),
    ),
  EVIDENCE_STUDIO_STICKY_ACCOUNTS: z
    .enum(['on', 'off'])
    .default('off')
    .meta(
      about(
        'Hosted',
        '`on`: the trusted proxies send all requests of an account to one instance while it lives, ' +
          'and say so in `Evidence-Shard`, as `deploy/haproxy.cfg` and ' +
          '`deploy/nginx-sticky.conf` do. Instances then count limits of such requests alone, and ' +
          'ask for changes of other instances every 15 seconds instead of every second.',
      ),
    ),
  EVIDENCE_STUDIO_ACCOUNTS: z
    .enum(['operator', 'anyone'])
    .optional()
    .meta(
      about(
        'Hosted',
        '`operator`: accounts are opened at the command line alone (`admin create --team`); ' +
          '`anyone`: by everybody who is signed in. Not set: `operator`.',
      ),
    ),
  EVIDENCE_STUDIO_PUBLISHING: z
    .enum(['operator', 'owners'])
    .optional()
    .meta(
      about(
        'Hosted',
        '`operator`: profiles are shown to every account at the command line alone (`admin ' +
          'publish`); `owners`: by the owners of an account, each under names of their own. ' +
          'Not set: `operator` where hosted, else `owners`.',
      ),
    ),
  EVIDENCE_STUDIO_OFFLINE_COPIES: z
    .enum(['on', 'off'])
    .default('on')
    .meta(
      about(
        'Hosted',
        'Whether a browser keeps an encrypted copy of what its person has opened, ' +
          'until they sign out. `off`: nothing of it outlives the window, ' +
          'nothing opens without the server, and a window with unsent changes asks before it ' +
          'is closed.',
      ),
    ),
  EVIDENCE_STUDIO_OFFLINE_HOURS: number(168)
    .prefault('12')
    .meta(
      about(
        'Hosted',
        'How long a browser opens its copy without having reached the server, in hours; ' +
          'as long as a session lasts without use where it is not set. ' +
          'After that it asks to sign in, and keeps unsent changes sealed until the same ' +
          'person has. 0: never without the server.',
      ),
    ),
  EVIDENCE_STUDIO_LEAVE_SECONDS: number(300)
    .prefault('0')
    .meta(
      about(
        'Hosted',
        'How long a server that is to stop keeps answering while `/readyz` says no, ' +
          'so that a load balancer turns away first. At least twice its checking interval.',
      ),
    ),

  ...SHARED_LIMIT_SETTINGS,
  EVIDENCE_STUDIO_CONNECTIONS: number(1_000_000)
    .optional()
    .meta(
      about(
        'Limits',
        'Most connections at a time; where all are taken, the one that has been idle the ' +
          'longest gives way, or else one whose request is still coming. Not set: ' +
          "4096 where hosted, 128 else. Hosted, an address that is no proxy's has a quarter of " +
          'them, event streams and requests under way of one account an eighth each, ' +
          'event streams of one person a thirty-second part. An IPv6 network (/64) is one ' +
          'address.',
      ),
    ),

  EVIDENCE_STUDIO_QUOTA_CASES: number(1_000_000_000)
    .optional()
    .meta(
      about(
        'Limits',
        'Most cases of an account. What is deleted stays in the log, and counts. ' +
          'A write that would be over a quota is 403 `quota_exceeded` and stores nothing.',
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

  ...NOTICE_SETTINGS,
  ...TIME_STAMP_SETTINGS,
  EVIDENCE_STUDIO_METRICS: Address.optional().meta(
    about(
      'Operation',
      'Address and port, such as `127.0.0.1:9464`, of a second address for those who run the ' +
        'server: `/metrics` (Prometheus), `/healthz` and `/readyz` of this instance. ' +
        'Not set: none. Never to be published.',
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
        '1: each line of the log for a request names the address of its client (`address`) ' +
          'and, where known, the identifier of the user (`user_id`). ' +
          'These are data about persons: keep such logs no longer than you need them.',
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
