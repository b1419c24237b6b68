import type { ErrorCode } from '../../shared/contract/errors.ts';

/** A metric that is computed when it is read. */
export type Gauge = 'connections' | 'event_streams' | 'database_connections' | 'blobs_to_move';

/**
 * What the server reports for monitoring. Labels come from fixed sets: they never hold the name of
 * a case, an account or a key.
 */
export interface Metrics {
  /**
   * Called when a request's connection is done with it. `ms` is undefined for a stream, which lasts
   * as long as its reader wants.
   */
  request(seen: {
    method: string;
    route: string;
    status: number;
    code: ErrorCode | undefined;
    ms: number | undefined;
  }): void;
  /**
   * Counts new changes of a push, and how old the oldest was: how far behind the other side had
   * been.
   */
  pushed(seen: { changes: number; oldestMs: number }): void;
  watch(gauge: Gauge, read: () => number | Readonly<Record<string, number>>): void;
  /** All metrics in Prometheus's text format. */
  text(): Promise<string>;
}

/** Used where metrics are not served. */
export const NO_METRICS: Metrics = {
  request: () => {},
  pushed: () => {},
  watch: () => {},
  text: async () => '',
};
