import type { ProfileDocument } from '../../../shared/domain/profile.ts';
import { compareHeaders, compareRules } from '../../../shared/domain/profile-comparison.ts';
import { compareVersions } from '../../../shared/domain/version.ts';
import { t } from '../../text/t.ts';

/**
 * How far a new version is from its base: outcomes lose their meaning, there is more to record, or
 * only words and order differ.
 */
export type Distance = 'major' | 'minor' | 'patch' | 'none';

/** Why this version is suggested. */
export function suggestedWords({
  version,
  distance,
}: {
  version: string;
  distance: Distance;
}): string {
  switch (distance) {
    case 'major':
      return t('Suggested: {version}, as the text of a rule changed, or a rule was removed.', {
        version,
      });
    case 'minor':
      return t('Suggested: {version}, as rules were added.', { version });
    case 'patch':
      return t('Suggested: {version}, as only the header or the order of the rules changed.', {
        version,
      });
    case 'none':
      return t('Suggested: {version}, as nothing has changed yet.', { version });
  }
}

export function distanceOf(before: ProfileDocument, after: ProfileDocument): Distance {
  const rules = compareRules(before, after);
  if (rules.some((rule) => rule.kind === 'changed' || rule.kind === 'removed')) return 'major';
  if (rules.some((rule) => rule.kind === 'added')) return 'minor';
  return compareHeaders(before, after).length > 0 ||
    rules.some((rule) => rule.kind === 'unchanged' && rule.moved)
    ? 'patch'
    : 'none';
}

/**
 * The number after `newest`, in as many parts as that has; a third part comes only where the second
 * is not enough.
 */
export function nextVersion(newest: string, distance: Distance): string {
  const [major = 0n, minor = 0n, patch] = newest.split('.').map(BigInt);
  if (distance === 'major') return patch === undefined ? `${major + 1n}.0` : `${major + 1n}.0.0`;
  if (distance === 'minor')
    return patch === undefined ? `${major}.${minor + 1n}` : `${major}.${minor + 1n}.0`;
  return `${major}.${minor}.${(patch ?? 0n) + 1n}`;
}

export const newestOf = (versions: readonly string[]): string | undefined =>
  versions.toSorted(compareVersions).at(-1);
