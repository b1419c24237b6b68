import type { KeyId } from '../../shared/contract/ids.ts';
import type { Role } from '../../shared/contract/v1/account.ts';
import type { RecordedBy } from '../../shared/contract/v1/evidence.ts';
import type { Sender } from '../../shared/domain/sender.ts';

/** Viewers see that an agent wrote something, but not by which key. */
export const seesKeys = (role: Role): boolean => role !== 'viewer';

/** Who brought something, as this reader may see it. */
export const senderShownTo = (role: Role, sender: Sender): Sender =>
  seesKeys(role) ? sender : { ...sender, key_id: null };

/** Something that was brought here, as this reader may see by whom. */
export const sentByShownTo = <T extends { sent_by: Sender | null }>(role: Role, one: T): T => ({
  ...one,
  sent_by: one.sent_by && senderShownTo(role, one.sent_by),
});

const withoutKey = ({ key_id: _, ...author }: RecordedBy): RecordedBy => author;

/** A step or writing as this reader may see it. */
export function shownTo<
  T extends { key_id: KeyId | null; sent_by: Sender | null; recorded_by?: RecordedBy },
>(role: Role, step: T): T {
  if (seesKeys(role)) return step;
  const { recorded_by, sent_by } = step;
  return {
    ...step,
    key_id: null,
    sent_by: sent_by && senderShownTo(role, sent_by),
    ...(recorded_by !== undefined && {
      recorded_by: withoutKey(recorded_by),
    }),
  };
}
