import type { SqlWords } from './sql-words.ts';
import { GUARDED_FIRST } from './row-security.ts';

/** A hosted server for teams: who did what, who signs in how, invitations, limits of signing in. */
export function teams(w: SqlWords): string[] {
  const { text } = w;
  return [
    ...trail(w),
    ...signInAndLimits(w),
    `CREATE INDEX profiles_by_name ON profiles (profile_uid, version)`,
    // Blobs of runs whose manifest has not come. They become blobs of the account with it, or go.
    `CREATE TABLE uploads (account_id ${text} NOT NULL REFERENCES accounts,
      sha256 ${text} NOT NULL CHECK (length(sha256) = 64), packed ${w.blob} NOT NULL,
      put_at ${text} NOT NULL, PRIMARY KEY (account_id, sha256))${w.strict}`,
    `CREATE INDEX uploads_by_time ON uploads (put_at)`,
    // Runs whose content the hosted server has not taken: offered again now and then.
    `CREATE TABLE owed_runs (account_id ${text} NOT NULL REFERENCES accounts,
      run_uid ${text} NOT NULL, code ${text} NOT NULL, at ${text} NOT NULL,
      PRIMARY KEY (account_id, run_uid))${w.clustered}`,

    ...w.guard(Object.keys(GUARDED_FIRST) as (keyof typeof GUARDED_FIRST)[]),
  ];
}

function trail(w: SqlWords): string[] {
  const { int, text } = w;
  const whole = (column: string): string =>
    `${column} ${int} NOT NULL CHECK (${column} BETWEEN 0 AND 9007199254740991)`;
  return [
    // The trail of what belongs to no account has an empty account.
    `CREATE TABLE audit_events (account_id ${text} NOT NULL, ${whole('seq')}, at ${text} NOT NULL,
      action ${text} NOT NULL, object ${text},
      detail ${text} NOT NULL CHECK (${w.isJson('detail')}),
      kind ${text} NOT NULL CHECK (kind IN ('human', 'agent', 'operator', 'server')),
      user_id ${text}, name ${text} NOT NULL, key_id ${text}, session ${text}, address ${text},
      request_id ${text}, hash ${text} NOT NULL CHECK (length(hash) = 64),
      PRIMARY KEY (account_id, seq))${w.clustered}`,
    ...w.freeze('audit_events'),
    `CREATE TABLE audit_heads (account_id ${text} PRIMARY KEY, ${whole('seq')},
      hash ${text} NOT NULL CHECK (length(hash) = 64))${w.clustered}`,
  ];
}

function signInAndLimits(w: SqlWords): string[] {
  const { int, text } = w;
  const whole = (column: string): string =>
    `${column} ${int} NOT NULL CHECK (${column} BETWEEN 0 AND 9007199254740991)`;
  return [
    // The name that a person signs in with; null for a user that a command made.
    `ALTER TABLE users ADD COLUMN email ${text}`,
    `CREATE UNIQUE INDEX users_by_email ON users (email)`,
    `CREATE TABLE passwords (user_id ${text} PRIMARY KEY REFERENCES users, phc ${text} NOT NULL,
      changed_at ${text} NOT NULL)${w.clustered}`,
    `ALTER TABLE members ADD COLUMN joined_at ${text} NOT NULL DEFAULT ''`,
    `ALTER TABLE members ADD COLUMN last_seen_at ${text}`,
    `UPDATE members SET joined_at = (SELECT created_at FROM users WHERE users.user_id = members.user_id)`,
    `CREATE INDEX members_by_user ON members (user_id)`,

    `ALTER TABLE sessions RENAME TO first_sessions`,
    `CREATE TABLE sessions (hash ${text} PRIMARY KEY, session_id ${text} NOT NULL UNIQUE,
      account_id ${text} NOT NULL REFERENCES accounts, user_id ${text} NOT NULL REFERENCES users,
      method ${text} NOT NULL CHECK (method IN ('password', 'link')), created_at ${text} NOT NULL,
      last_seen_at ${text} NOT NULL, confirmed_at ${text} NOT NULL, expires_at ${text} NOT NULL,
      address ${text} NOT NULL, browser ${text} NOT NULL)${w.strict}`,
    `INSERT INTO sessions (hash, session_id, account_id, user_id, method, created_at,
      last_seen_at, confirmed_at, expires_at, address, browser)
      SELECT hash, 'ses_' || substr(hash, 1, 24), account_id, user_id, 'link',
      ${w.daysBefore('expires_at', 7)}, ${w.daysBefore('expires_at', 7)},
      ${w.daysBefore('expires_at', 7)}, expires_at, '', '' FROM first_sessions`,
    `DROP TABLE first_sessions`,
    `CREATE INDEX sessions_by_user ON sessions (user_id)`,
    `CREATE INDEX sessions_by_expiry ON sessions (expires_at)`,

    // With a user: a link by which that one chooses a password. Else whoever takes it joins.
    `CREATE TABLE invitations (invitation_id ${text} PRIMARY KEY, hash ${text} NOT NULL UNIQUE,
      account_id ${text} NOT NULL REFERENCES accounts,
      role ${text} NOT NULL CHECK (role IN ('owner', 'member', 'viewer')), name ${text},
      user_id ${text} REFERENCES users, created_by ${text} REFERENCES users,
      created_at ${text} NOT NULL, expires_at ${text} NOT NULL)${w.strict}`,
    `CREATE INDEX invitations_by_account ON invitations (account_id, created_at)`,
    `CREATE TABLE setup_tokens (hash ${text} PRIMARY KEY, expires_at ${text} NOT NULL,
      failures ${int} NOT NULL)${w.strict}`,
    // What one instance has counted against the limits, for the others.
    `CREATE TABLE spending (instance_id ${text} NOT NULL, ${whole('turn')}, ${whole('at_ms')},
      spent ${text} NOT NULL CHECK (${w.isJson('spent')}),
      PRIMARY KEY (instance_id, turn))${w.clustered}`,
    `CREATE TABLE sign_in_limits (subject ${text} PRIMARY KEY, failures ${int} NOT NULL,
      since_ms ${int} NOT NULL)${w.strict}`,
  ];
}
