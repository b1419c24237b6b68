import { getProfile } from '../../shared/contract/v1/profiles.ts';
import type { WireChange } from '../../shared/contract/sync.ts';
import { profileDigest } from '../../shared/domain/profile.ts';
import type { UpstreamConnection } from './connection.ts';

const NAMED = '"reg":"document/';

export const namesDocument = (page: readonly WireChange[]): boolean =>
  page.some(({ change }) => change.includes(NAMED));

/**
 * Fetches the documents that shared cases name and that are neither here nor announced in the
 * account's log, such as one that another account has published there. What cannot be had now is
 * asked for again at the next poll.
 */
export async function fetchDocuments({
  client,
  store,
  account,
  signal,
  hasher,
}: Pick<UpstreamConnection, 'client' | 'store' | 'account' | 'signal' | 'hasher'>): Promise<void> {
  const missing = await store.read(async (reader) =>
    reader.uplink.missingDocuments(account, await reader.uplink.shared(account)),
  );
  for (const { profile_uid, version, digest } of missing) {
    if (signal.aborted) return;
    const answer = await client.call(getProfile, {
      params: { profileUid: profile_uid },
      query: { profile_version: version, digest },
      signal,
    });
    if (answer.kind === 'refused') continue;
    if (answer.kind !== 'ok') return;
    if (profileDigest(answer.body, hasher) === digest)
      await store.transact((writer) => writer.profileWrites.borrow(account, answer.body));
  }
}
