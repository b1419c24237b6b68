import type { ErrorCode } from '../../shared/contract/errors.ts';

/** A figure that is read when somebody asks for it. */
export type Gauge = 'connections' | 'event_streams' | 'database_connections';

/** What the server tells of itself to whoever watches over it. Labels come from closed sets: no name of a case, an account or a key is among them. */
export interface Metrics {
  /** A request whose connection is done with it. `ms` is undefined for a stream, which lasts as long as its reader wants. */
  request(seen: { method: string; route: string; status: number; code: ErrorCode | undefined; ms: number | undefined }): void;
  /** Changes that came by push and were new, and how long ago the oldest of them was made: how far behind the other side was. */
  pushed(seen: { changes: number; oldestMs: number }): void;
  watch(gauge: Gauge, read: () => number | Readonly<Record<string, number>>): void;
  /** All of it as Prometheus reads it. */
  text(): Promise<string>;
}

/** Where nobody watches. */
export const NO_METRICS: Metrics = { request: () => {}, pushed: () => {}, watch: () => {}, text: async () => '' };
