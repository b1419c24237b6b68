import { mayRecord } from '../../../shared/contract/roles.ts';
import type { EditingAccess } from '../store/port.ts';
import { ownerOf, type SessionFacts, userIdOf } from './who.ts';
import { t } from '../../text/t.ts';

/** What this user may do with a copy now, and what may be sent for it. */
export interface Permission {
  access: EditingAccess;
  /** Why nothing of this user is sent, in words for a person; null while sending is possible. */
  blocked: string | null;
}

const WRITE: EditingAccess = { may: 'write' };
const read = (
  because: Extract<EditingAccess, { may: 'read' }>['because'],
  words: string,
): EditingAccess => ({
  may: 'read',
  because,
  words,
});

const SIGNED_OUT = t(
  'You are signed out. Your changes are kept in this window; sign in to send them.',
);

const UNSETTLED = t(
  'Several documents stand under this version of the profile, or another one was settled on: nothing can be recorded before that is settled and the matrix is opened again.',
);

const APPROVED = t(
  'The case is approved. Outcomes can be suggested: press T, F or N, paste or fill. To change anything else, an owner opens it again.',
);

/**
 * `ended`: why the server no longer lets this user read or write the case. `full`: why this device
 * can store nothing more. Both are null while all is well.
 */
export function permissionOf(
  owner: string,
  who: { facts: SessionFacts | undefined; signedOut: boolean },
  {
    ended,
    full,
    unsettled,
    approved,
  }: { ended: string | null; full: string | null; unsettled: boolean; approved: boolean },
): Permission {
  const present = who.facts?.user;
  if (who.facts !== undefined && ownerOf(who.facts) !== owner) {
    const { user, account } = who.facts;
    const words =
      user.user_id === userIdOf(owner)
        ? t(
            'The account “{name}” is open now. This copy is another account’s: it can be read, copied and exported, and nothing of it is sent.',
            { name: account.name },
          )
        : t(
            '{name} is signed in here now. This copy is another user’s: it can be read, copied and exported, and nothing of it is sent.',
            { name: user.name },
          );
    return { access: read('other_user', words), blocked: words };
  }
  if (
    unsettled &&
    !who.signedOut &&
    (present === undefined || mayRecord(present.role)) &&
    ended === null
  )
    return { access: read('document', UNSETTLED), blocked: null };
  const unlocked = full === null ? WRITE : read('storage', full);
  const open = approved ? read('approved', APPROVED) : unlocked;
  if (who.signedOut) return { access: open, blocked: SIGNED_OUT };
  if (present !== undefined && !mayRecord(present.role)) {
    const words = t(
      'You are a viewer here: the matrix can be read, copied and exported, not changed.',
    );
    return { access: read('viewer', words), blocked: words };
  }
  if (ended !== null) return { access: read('ended', ended), blocked: null };
  return { access: open, blocked: null };
}
