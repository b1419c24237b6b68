export interface UsageEvent {
  account_id: string;
  at: string;
  action: string;
  resource: string | null;
  key_id: string | null;
  status: number;
  cells_written: number;
  runs: number;
}

/** Requests of an account in a month so far, over all instances. */
export interface MonthTotal {
  account_id: string;
  month: string;
  requests: number;
}

/**
 * The most records of each kind that an account may hold, for the kinds that are limited. What is
 * deleted stays in the log and still counts.
 */
export interface Quotas {
  cases?: number | undefined;
  runs?: number | undefined;
  changes?: number | undefined;
}

export interface Spending {
  instance: string;
  turn: number;
  /** By limit and subject. */
  spent: ReadonlyMap<string, number>;
}

/** What instances on one database tell each other about the allowances that they have spent. */
export interface SpendingPort {
  tell(instance: string, turn: number, spent: ReadonlyMap<string, number>): Promise<void>;
  /** Rows of other instances after these turns; all rows of instances that are not named. */
  hear(instance: string, seen: ReadonlyMap<string, number>): Promise<Spending[]>;
}
