/** After accounts were put beside the store's own in SQL: the rows that their tables refer to. */
export const MARK_ACCOUNTS = `INSERT INTO account_marks (account) SELECT account FROM accounts
  WHERE account NOT IN (SELECT account FROM account_marks)`;
