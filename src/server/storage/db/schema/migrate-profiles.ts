import type { SqlWords } from './sql-words.ts';

/**
 * Names of profiles belong to somebody, and a matrix names its document by digest. Several
 * documents may stand under one version. What is published stays so, and a name belongs to the
 * account that published it first. Each matrix keeps the document that it was read with.
 */
export function profilesByDigest(w: SqlWords): string[] {
  const { int, text } = w;
  const flag = (column: string): string =>
    `${column} ${int} NOT NULL DEFAULT 0 CHECK (${column} IN (0, 1))`;
  const columns =
    'account_id, profile_uid, version, visibility, document, digest, entry, created_at';
  return [
    ...w.forEveryAccount(),
    ...w.thaw('profiles'),
    ...['profiles_shipped', 'profiles_community'].map((index) => `DROP INDEX ${index}`),
    `ALTER TABLE profiles RENAME TO first_profiles`,
    // Published: the account's owner has put it where every account of this server sees it.
    // Borrowed: another account's on a server that this one is connected to.
    `CREATE TABLE profiles (profile_pk ${w.serial}, account_id ${text} REFERENCES accounts,
      profile_uid ${text} NOT NULL, version ${text} NOT NULL,
      visibility ${text} NOT NULL CHECK (visibility IN ('community', 'private')),
      document ${text} NOT NULL CHECK (${w.isJson('document')}), digest ${text} NOT NULL,
      entry ${text} NOT NULL CHECK (${w.isJson('entry')}), created_at ${text} NOT NULL,
      ${flag('published')}, ${flag('borrowed')},
      UNIQUE (account_id, profile_uid, version, digest))${w.strict}`,
    `INSERT INTO profiles (${columns}, published)
      SELECT ${columns},
      CASE WHEN account_id IS NOT NULL AND visibility = 'community' THEN 1 ELSE 0 END
      FROM first_profiles ORDER BY profile_pk`,
    `DROP TABLE first_profiles`,
    `CREATE UNIQUE INDEX profiles_shipped ON profiles (profile_uid, version) WHERE account_id IS NULL`,
    `CREATE INDEX profiles_community ON profiles (profile_uid, version) WHERE published = 1`,
    ...w.freeze('profiles'),
    ...w.freezeOnly('profiles', ['profile_pk', ...columns.split(', ')]),
    ...w.guard(['profiles']),
    ...w.guardPublished(),

    `CREATE TABLE profile_owners (profile_uid ${text} PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts)${w.clustered}`,
    `INSERT INTO profile_owners (profile_uid, account_id)
      SELECT profile_uid, account_id FROM profiles AS one WHERE published = 1
      AND profile_pk = (SELECT min(profile_pk) FROM profiles
      WHERE published = 1 AND profiles.profile_uid = one.profile_uid)`,
    // Which of several documents a version is in the account, where a person has said so.
    `CREATE TABLE profile_choices (account_id ${text} NOT NULL REFERENCES accounts,
      profile_uid ${text} NOT NULL, version ${text} NOT NULL, digest ${text} NOT NULL,
      ${flag('contested')}, PRIMARY KEY (account_id, profile_uid, version))${w.clustered}`,
    // What owners have decided about documents under another's name.
    `CREATE TABLE profile_decisions (account_id ${text} NOT NULL REFERENCES accounts,
      profile_uid ${text} NOT NULL, version ${text} NOT NULL, digest ${text} NOT NULL,
      decision ${text} NOT NULL CHECK (decision IN ('keep', 'hide')), decided_by ${text} NOT NULL,
      decided_at ${text} NOT NULL,
      PRIMARY KEY (account_id, profile_uid, version, digest))${w.clustered}`,
    ...w.guard(['profile_choices', 'profile_decisions']),

    // The document of a matrix; named: by a register of the case's log.
    `ALTER TABLE matrices ADD COLUMN digest ${text}`,
    `ALTER TABLE matrices ADD COLUMN ${flag('named')}`,
    `ALTER TABLE matrices ADD COLUMN ${flag('contested')}`,
    `INSERT INTO matrices (case_pk, profile_uid, profile_version)
      SELECT case_pk, profile_uid, profile_version FROM cases
      WHERE profile_uid IS NOT NULL AND profile_version IS NOT NULL
      ON CONFLICT (case_pk, profile_uid, profile_version) DO NOTHING`,
    `UPDATE matrices SET digest = (SELECT profiles.digest FROM profiles, cases
      WHERE cases.case_pk = matrices.case_pk AND profiles.profile_uid = matrices.profile_uid
      AND profiles.version = matrices.profile_version
      AND (profiles.account_id = cases.account_id OR profiles.account_id IS NULL OR published = 1)
      ORDER BY CASE WHEN profiles.account_id = cases.account_id THEN 0
      WHEN profiles.account_id IS NULL THEN 1 ELSE 2 END, profile_pk LIMIT 1)`,
  ];
}
