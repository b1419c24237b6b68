import { PublishedProfile } from '../../../../shared/domain/profile.ts';
import type { ProfileListEntry } from '../../../data/api/library.ts';
import { compareVersions } from '../../../../shared/domain/version.ts';
import { placeInWords, reasonOf } from '../transfer/words.ts';
import { documentOf, type ProfileDraft } from './draft.ts';
import { t } from '../../../text/t.ts';

/** Something that keeps a draft from being published. */
export interface Problem {
  /** Name of the field on the page: `version`, or `r3/name` for a rule's; `rules` for the list. */
  field: string;
  /** The rule's key where the field is a rule's. */
  rule: string | undefined;
  /** Where, in words: "Rule 3, description". */
  place: string;
  message: string;
}

/** The field of the page that a path of the document belongs to. */
export function fieldOf(
  path: readonly PropertyKey[],
  draft: ProfileDraft,
): Pick<Problem, 'field' | 'rule'> {
  const rule =
    path[0] === 'rules' && path[1] !== undefined ? draft.rules[Number(path[1])] : undefined;
  if (rule === undefined) return { field: String(path[0] ?? 'name'), rule: undefined };
  return { field: `${rule.key}/${String(path[2] ?? 'name')}`, rule: rule.key };
}

export function problemAt(
  path: readonly PropertyKey[],
  message: string,
  draft: ProfileDraft,
): Problem {
  return { ...fieldOf(path, draft), place: placeInWords(path), message };
}

/**
 * Everything that the schema refuses, and what the published versions leave no room for; the first
 * problem of each field.
 */
export function problemsOf(draft: ProfileDraft, known: readonly ProfileListEntry[]): Problem[] {
  const checked = PublishedProfile.safeParse(documentOf(draft));
  const found = checked.success
    ? []
    : checked.error.issues.map((issue) => problemAt(issue.path, reasonOf(issue), draft));
  const versions = known.filter((entry) => entry.profileUid === draft.profileUid);
  const isOwn = draft.origin.kind === 'version' || draft.origin.kind === 'file';
  if (versions.length > 0 && !isOwn)
    found.push(
      problemAt(
        ['profileUid'],
        t(
          'A profile with this ID is published already. Choose another ID, or open that profile and make a new version of it.',
        ),
        draft,
      ),
    );
  if (versions.length > 0 && isOwn) {
    const newest = versions.reduce((a, b) => (compareVersions(a.version, b.version) >= 0 ? a : b));
    if (compareVersions(draft.version, newest.version) <= 0)
      found.push(
        problemAt(
          ['version'],
          t('Must be higher than {version}, the newest version published.', {
            version: newest.version,
          }),
          draft,
        ),
      );
  }
  const seen = new Set<string>();
  return found.filter(({ field }) => !seen.has(field) && seen.add(field));
}
