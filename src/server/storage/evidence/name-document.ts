import type { CaseView } from '../records/case-view.ts';
import type { Gesture } from '../log/gesture.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { StoredProfile } from '../db/stored-profile.ts';

export async function chooseProfile(
  view: CaseView,
  gesture: Gesture,
  inUse: { profile_uid: string; profile_version: string },
): Promise<void> {
  await view.registers.load(['case/profile']);
  await view.heads.load(['case/profile']);
  await view.stream.changes.loadSeqs(view.registers.seqs());
  const head = view.registers.head('case/profile');
  const slot = view.registers.slot('case/profile', (value) => view.showField('profile', value));
  gesture.entry(
    slot,
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
  const slot = view.documents.slot(document.profileUid, document.version);
  await view.registers.load([slot.reg]);
  await view.heads.load([slot.reg]);
  await view.stream.changes.loadSeqs(view.registers.seqs());
  const value = { digest: entry.digest };
  gesture.entry(
    slot,
    slot.head === null ? null : view.stream.changes.nameOf(slot.head),
    canonicalJson(value),
    value,
  );
}
