import type { ProfileUid } from '../../../shared/contract/ids.ts';
import type { CaseView } from '../records/case-view.ts';
import type { Gesture } from '../log/gesture.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { StoredProfile } from '../db/stored-profile.ts';

export async function chooseProfile(
  view: CaseView,
  gesture: Gesture,
  inUse: { profile_uid: ProfileUid; profile_version: string },
): Promise<void> {
  await view.registers.load(['case/profile']);
  await view.heads.load(['case/profile']);
  await view.stream.changes.loadSeqs(view.registers.seqs());
  const head = view.registers.head('case/profile');
  const binding = view.registers.binding('case/profile', (value) =>
    view.showField('profile', value),
  );
  gesture.entry(
    binding,
    head === null ? null : view.stream.changes.nameOf(head),
    canonicalJson(inUse),
    inUse,
  );
}

/** Names the document that the case's matrix is of from here on, on every store alike. */
export async function nameDocument(
  view: CaseView,
  gesture: Gesture,
  { document, entry }: StoredProfile,
): Promise<void> {
  const binding = view.documents.binding(document.profileUid, document.version);
  await view.registers.load([binding.reg]);
  await view.heads.load([binding.reg]);
  await view.stream.changes.loadSeqs(view.registers.seqs());
  const value = { digest: entry.digest };
  gesture.entry(
    binding,
    binding.head === null ? null : view.stream.changes.nameOf(binding.head),
    canonicalJson(value),
    value,
  );
}
