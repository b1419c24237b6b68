/**
 * What requests cost, in processor milliseconds: measured by `npm run bench costs` (the part
 * "costs" of docs/benchmarks.md).
 */
export interface RequestCost {
  /** Of an instance's thread. */
  server: number;
  /** Of PostgreSQL. */
  database: number;
  /**
   * Messages to PostgreSQL that are waited for, one after the other (docs/decisions/0036, 0037).
   */
  trips: number;
  writes: boolean;
}

export const COSTS = {
  push: { server: 2.26, database: 2.56, trips: 7, writes: true },
  changes: { server: 0.64, database: 0.34, trips: 2, writes: false },
  hello: { server: 0.26, database: 0.08, trips: 1, writes: false },
  moved: { server: 0.64, database: 0.48, trips: 2, writes: false },
  unchanged: { server: 0.46, database: 0.22, trips: 2, writes: false },
  stream: { server: 0.68, database: 0.2, trips: 2, writes: false },
  read: { server: 1.18, database: 1.28, trips: 3, writes: false },
  write: { server: 1.9, database: 1.82, trips: 7, writes: true },
} as const satisfies Record<string, RequestCost>;
export type RequestKind = keyof typeof COSTS;

/** What one open event stream costs in a second, though nothing happens. */
export const IDLE_STREAM = { server: 0.016, database: 0.018 };
/** What a further change costs in the same push: T1 of the part "sync". */
export const FURTHER_CHANGE = { server: 0.1, database: 0.1 };
/** What a desktop's own side costs for a request, where it runs on the same machine. */
export const CLIENT_MS = 0.8;
