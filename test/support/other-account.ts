import { asUser } from './ids.ts';
import { AccountId } from '../../src/shared/contract/ids.ts';
import { DatabaseSync } from 'node:sqlite';
import { keyMac, mintKey } from '../../src/server/auth/keys.ts';
import type { TestServer } from './server.ts';
import { MARK_ACCOUNTS } from './mark-accounts.ts';

/** A key of an account of its own beside the local one, whose only user it has. */
export async function otherAccount(
  { databaseFile, deps }: TestServer,
  name = 'other',
): Promise<string> {
  const account_id = AccountId.parse(`acc_${name}`);
  const [user_id, at] = [asUser(`usr_${name}`), '2026-01-01T00:00:00.000Z'];
  const database = new DatabaseSync(databaseFile);
  database
    .prepare('INSERT INTO accounts (account_id, name, created_at) VALUES (?, ?, ?)')
    .run(account_id, name, at);
  database.exec(MARK_ACCOUNTS);
  database
    .prepare('INSERT INTO users (user_id, name, created_at) VALUES (?, ?, ?)')
    .run(user_id, name, at);
  database
    .prepare("INSERT INTO members (account_id, user_id, role) VALUES (?, ?, 'owner')")
    .run(account_id, user_id);
  database.close();
  const { key, key_id, prefix } = mintKey(deps.random);
  await deps.store.transact((writer) =>
    writer.keyWrites.create({
      key_id,
      prefix,
      account_id,
      user_id,
      name,
      scopes: ['read', 'write'],
      expires_at: null,
      mac: keyMac(key, deps.hmacSecret),
    }),
  );
  return key;
}
