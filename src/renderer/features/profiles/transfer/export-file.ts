import type { ProfileDocument } from '../../../../shared/domain/profile.ts';
import { canonicalJson } from '../../../../shared/lib/canonical-json.ts';
import { saveFile } from '../../../ui/save-file.ts';

/** The canonical JSON, and nothing else: the file's SHA-256 is the digest of the version. */
export function exportProfile(document: ProfileDocument): void {
  saveFile(
    `${document.profileUid}@${document.version}.json`,
    'application/json',
    canonicalJson(document),
  );
}
