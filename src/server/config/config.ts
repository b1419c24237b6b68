import type { NoticeSettings, RateLimit, TimeStampSettings } from '../context/deps.ts';
import { isLoopback } from './network.ts';
import type { Quotas } from '../storage/db/context.ts';
import type { BlobPlace } from '../storage/blobs/place.ts';
import { blobPlaceOf } from './blob-settings.ts';
import { checkBinding, ConfigError } from './binding.ts';
import { Environment } from './environment.ts';
import { noticesOf } from './notice-settings.ts';
import { timeStampsOf } from './time-stamp-settings.ts';

export interface Config {
  /** Data folder named by the environment, or undefined for the platform's own. */
  dataFolder: string | undefined;
  host: string;
  /** undefined: the default port, or a free one where that is taken. */
  port: number | undefined;
  publicUrl: URL | undefined;
  databaseUrl: string | undefined;
  databaseConnections: number | undefined;
  /** Where blobs are kept, if not in the database. */
  blobs: BlobPlace | undefined;
  /** File of the secret for API keys, if it is not kept in the data folder. */
  secretFile: string | undefined;
  trustedProxies: readonly string[];
  /** Whether these proxies keep each account's requests at one of several instances. */
  stickyAccounts: boolean;
  /** The Redis by which instances share what was used of limits. */
  redisUrl: string | undefined;
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
  /** How people and programs are notified of what waits for them. */
  notices: NoticeSettings;
  /** Who stamps the time of signatures, and whose time-stamps are trusted. */
  timeStamps: TimeStampSettings;
  allowOldSqlite: boolean;
  logLevel: string;
  /** Whether the log says from where and by whom requests came. */
  logClients: boolean;
  /** Compare every answer with its schema; for tests. */
  validateAnswers: boolean;
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

/** Throws ConfigError where settings do not go together. */
function checkTogether(config: Config): void {
  checkBinding(config);
  if (config.stickyAccounts && config.trustedProxies.length === 0)
    throw new ConfigError(
      'EVIDENCE_STUDIO_STICKY_ACCOUNTS is on: name the proxies that keep accounts together in ' +
        'EVIDENCE_STUDIO_TRUSTED_PROXIES.',
    );
  if (
    config.metrics !== undefined &&
    config.metrics.token === undefined &&
    !isLoopback(config.metrics.host)
  )
    throw new ConfigError(
      'EVIDENCE_STUDIO_METRICS is not a loopback address: set EVIDENCE_STUDIO_METRICS_TOKEN.',
    );
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
    blobs: blobPlaceOf(data),
    secretFile: data.EVIDENCE_STUDIO_SECRET_FILE,
    trustedProxies: data.EVIDENCE_STUDIO_TRUSTED_PROXIES,
    stickyAccounts: data.EVIDENCE_STUDIO_STICKY_ACCOUNTS === 'on',
    redisUrl: data.EVIDENCE_STUDIO_REDIS,
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
    notices: noticesOf(data),
    timeStamps: timeStampsOf(data),
    allowOldSqlite: data.EVIDENCE_STUDIO_ALLOW_OLD_SQLITE === '1',
    logLevel: data.LOG_LEVEL,
    logClients: data.EVIDENCE_STUDIO_LOG_CLIENTS === '1',
    validateAnswers: data.NODE_ENV === 'test',
  };
  checkTogether(config);
  return config;
}
