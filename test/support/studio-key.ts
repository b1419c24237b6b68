import { keyMac, mintKey } from '../../src/server/auth/keys.ts';
import { openData } from '../../src/server/open-data.ts';

/**
 * A key as "Connect a studio" makes it, put into a data folder beside any server: for measurements,
 * which have no browser at hand.
 */
export async function studioKeyIn(folder: string): Promise<string> {
  await using data = await openData(folder);
  const { key, key_id, prefix } = mintKey(data.random);
  const { account_id, user_id } = data.store.local;
  await data.store.transact(
    (writer) =>
      writer.keyWrites.create({
        account_id,
        user_id,
        key_id,
        prefix,
        name: 'studio',
        scopes: ['sync'],
        expires_at: null,
        mac: keyMac(key, data.hmacSecret),
      }),
    account_id,
  );
  return key;
}
