import { compareVersions } from '../../../shared/domain/version.ts';
import type { ProfileListEntry } from '../../data/library.ts';
import { mapQuery, useQuery } from '../../state/query.ts';

export type Entry = ProfileListEntry;

export interface VersionedProfile {
  newest: Entry;
  /** Newest first. */
  versions: Entry[];
}

/** One entry a profile with all its versions, in the order of names. */
export function groupVersions(entries: readonly Entry[]): VersionedProfile[] {
  const groups = Map.groupBy(entries, (entry) => entry.profileUid);
  const profiles = [...groups.values()].map((versions) => {
    const sorted = versions.toSorted((a, b) => compareVersions(b.version, a.version));
    return { newest: sorted[0] as Entry, versions: sorted };
  });
  return profiles.sort((a, b) => a.newest.name.localeCompare(b.newest.name, 'en'));
}

/** Every visible profile, shared by all pages that offer a choice. */
export function useProfiles() {
  return mapQuery(useQuery('profiles', (library) => library.profiles()), groupVersions);
}

export const ACCESS_NAMES: Record<Entry['access'], string> = {
  public: 'Shipped with the studio',
  community: 'Community',
  private: 'Private to this account',
};

export const profilePath = (uid: string, version?: string): string => `/studio/profiles/${uid}${version === undefined ? '' : `?version=${version}`}`;
