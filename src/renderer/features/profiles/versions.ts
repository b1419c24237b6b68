import type { ProfileUid } from '../../../shared/contract/ids.ts';
import { pageAddress } from '../../../shared/contract/page-addresses.ts';
import { compareVersions } from '../../../shared/domain/version.ts';
import type { ProfileListEntry } from '../../data/api/library.ts';
import type { ProfileList } from '../../data/api/list-page.ts';
import { mapQuery, type Query, useQuery } from '../../state/query.ts';
import { type List, useList } from '../../state/use-list.ts';
import { t } from '../../text/t.ts';

export interface VersionedProfile {
  newest: ProfileListEntry;
  /** Newest first. Several documents of one version stand beside each other. */
  versions: ProfileListEntry[];
}

/** One entry a profile with all its versions, in the order of names. */
export function groupVersions(entries: readonly ProfileListEntry[]): VersionedProfile[] {
  const groups = Map.groupBy(entries, (entry) => entry.profileUid);
  const profiles = [...groups.values()].map((versions) => {
    const sorted = versions.toSorted(
      (a, b) =>
        compareVersions(b.version, a.version) ||
        Number(a.set_aside ?? false) - Number(b.set_aside ?? false) ||
        (a.digest < b.digest ? -1 : 1),
    );
    return {
      newest: (sorted.find((entry) => entry.set_aside !== true) ?? sorted[0]) as ProfileListEntry,
      versions: sorted,
    };
  });
  return profiles.sort((a, b) => a.newest.name.localeCompare(b.newest.name, 'en'));
}

/** The newest version of each profile, page by page. */
export const useProfileList = (list: ProfileList): List<ProfileListEntry> =>
  useList('profiles', JSON.stringify(list), (library, place) => library.profiles(list, place));

const NO_VERSIONS = { data: [], stale: false, at: 0 };

/** Every visible profile, shared by all pages that offer a choice. */
export function useProfiles() {
  return mapQuery(
    useQuery('profiles', (library) => library.profileVersions()),
    groupVersions,
  );
}

/** One profile with all its versions, if there is one of this name. */
export function useProfile(
  profileUid: ProfileUid | undefined,
): Query<{ found: VersionedProfile | undefined }> {
  return mapQuery(
    useQuery(`profiles/of/${profileUid ?? ''}`, async (library) =>
      profileUid === undefined ? NO_VERSIONS : library.profileVersions(profileUid),
    ),
    (entries) => ({ found: groupVersions(entries)[0] }),
  );
}

export const ACCESS_NAMES: Record<ProfileListEntry['access'], string> = {
  public: t('Shipped with the studio'),
  community: t('Community'),
  private: t('Private to this account'),
};

export const profilePath = (uid: ProfileUid, version?: string, digest?: string): string =>
  pageAddress('profile', { profileUid: uid }) +
  (version === undefined ? '' : `?version=${version}`) +
  (digest === undefined ? '' : `&digest=${encodeURIComponent(digest)}`);

/** The first digits of a digest: enough for a person to distinguish documents. */
export const shortDigest = (digest: string): string =>
  digest.slice('sha256:'.length, 'sha256:'.length + 8);

/** What is shown of a document beside its version, where that version has others. */
export function documentNote(
  entry: Pick<ProfileListEntry, 'contested' | 'set_aside'>,
): string | undefined {
  if (entry.contested === true) return t('one of several documents, not decided');
  return entry.set_aside === true ? t('set aside') : undefined;
}
