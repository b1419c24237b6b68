/** A content of some account's runs; the check goes through all of them in this order. */
export interface ContentName {
  account_id: string;
  content_hash: string;
}

/** A run whose content is known here or ought to be. */
export interface ContentState {
  case_uid: string;
  run_uid: string;
  content_hash: string;
  /** When it was found to be damaged; null where it is whole or never came. */
  damaged_at: string | null;
  here: boolean;
}
