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

/** Requests of an account in a month so far, on all instances. */
export interface MonthTotal {
  account_id: string;
  month: string;
  requests: number;
}

/** Most of each kind that an account may hold, for those that are limited. What is deleted stays in the log, and counts. */
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

/** What instances on one database tell each other of the allowances that they have given. */
export interface SpendingPort {
  tell(instance: string, turn: number, spent: ReadonlyMap<string, number>): Promise<void>;
  /** Rows of others after these turns; all rows of those who are not named. */
  hear(instance: string, seen: ReadonlyMap<string, number>): Promise<Spending[]>;
}
