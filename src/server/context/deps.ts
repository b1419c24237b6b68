import type { Logger } from 'pino';
import type { Store } from '../storage/store.ts';
import type { Home } from '../../shared/contract/v1/account.ts';
import type { Hasher } from '../../shared/lib/hash.ts';
import type { Carrier } from './call.ts';
import type { Metrics } from './metrics.ts';
import type { Uplink } from './uplink.ts';

interface Allowance {
  perSecond: number;
  writesPerSecond: number;
}
/** Requests a second: of one key or person, and of all callers of an account together. */
export interface RateLimit extends Allowance {
  account?: Allowance;
}

/**
 * Whether browsers may keep copies of what people see in them, and how long one opens without the
 * server, ms. `unknown` while this server does not have the secret from which their keys are made.
 */
export interface CopyRules {
  keep: 'yes' | 'no' | 'unknown';
  offlineMs: number;
}

/**
 * What of notices whoever runs the server has set up. `webhooks`: sent to addresses on the internet
 * alone, or to any, which only a network of one's own can want.
 */
export interface NoticeSettings {
  webhooks: 'off' | 'public' | 'any';
  mail: { relay: string; from: string } | undefined;
}

/**
 * Which authority stamps the time of signatures, and whose time-stamps are trusted: certificates as
 * PEM, empty where there are none.
 */
export interface TimeStampSettings {
  authority: { url: string; policy: string | undefined; mayBePrivate: boolean } | undefined;
  trusted: string;
}

/** Everything the HTTP layer needs, made by a composition root. */
export interface Deps {
  store: Store;
  /**
   * Carries calls out on a thread of its own: with SQLite all of them, with PostgreSQL the large
   * ones.
   */
  thread?: Carrier | undefined;
  clock: { now(): number };
  random: { bytes(length: number): Uint8Array };
  hasher: Hasher;
  logger: Logger;
  /** Secret that keys are stored under (HMAC-SHA-256), 32 bytes. */
  hmacSecret: Uint8Array;
  home: Home;
  version: string;
  instanceId: string;
  /** Built renderer to serve under /studio, or undefined where there is none. */
  rendererRoot: string | undefined;
  /**
   * What whoever runs the server does alone, at the command line: opening accounts, showing
   * profiles to every account.
   */
  operatorOnly: { accounts: boolean; publishing: boolean };
  /** Backups that could be restored, newest first; named where the database is damaged. */
  backups(): string[];
  /** The connection to a hosted server; a hosted server has none. */
  uplink: Uplink | undefined;
  metrics: Metrics;
  rateLimit: RateLimit | undefined;
  /** The Redis by which instances share what was used of limits; else PostgreSQL. */
  redisUrl?: string | undefined;
  /** Whether proxies keep each account's requests at one of several instances. */
  areSticky?: boolean | undefined;
  /** Copies in the browsers of a hosted server. */
  copies: CopyRules;
  /** Notices of a hosted server. */
  notices?: NoticeSettings | undefined;
  timeStamps?: TimeStampSettings | undefined;
  /** Program and arguments by which a host on this computer starts the tools for agents. */
  agentCommand?: readonly string[] | undefined;
  /** Whether the log says from where and by whom requests came. */
  logClients?: boolean | undefined;
  /** Requests that the keys of one account may make in a month. */
  requestQuota?: number | undefined;
}
