import { mayRecord } from '../../shared/contract/roles.ts';
import type { Access } from './port.ts';
import { ownerOf, type SessionFacts, userIdOf } from './who.ts';

/** What a copy of this user may do now, and what may be sent for it. */
export interface Standing {
  access: Access;
  /** Nothing of this user is sent while this is not null; in words. */
  held: string | null;
}

const WRITE: Access = { may: 'write' };
const read = (because: Extract<Access, { may: 'read' }>['because'], words: string): Access => ({ may: 'read', because, words });

const SIGNED_OUT = 'You are signed out. Your changes are kept in this window; sign in to send them.';

/** `ended`: the server has said that this case is not this user's to read or write. `full`: this device has stored nothing more. */
export function standingOf(owner: string, who: { facts: SessionFacts | undefined; signedOut: boolean }, ended: string | null, full: string | null): Standing {
  const present = who.facts?.user;
  if (who.facts !== undefined && ownerOf(who.facts) !== owner) {
    const { user, account } = who.facts;
    const where = user.user_id === userIdOf(owner) ? `The account “${account.name}” is open now. This copy is another account’s` : `${user.name} is signed in here now. This copy is another user’s`;
    const words = `${where}: it can be read, copied and exported, and nothing of it is sent.`;
    return { access: read('other_user', words), held: words };
  }
  if (who.signedOut) return { access: full === null ? WRITE : read('storage', full), held: SIGNED_OUT };
  if (present !== undefined && !mayRecord(present.role)) {
    const words = 'You are a viewer here: the matrix can be read, copied and exported, not changed.';
    return { access: read('viewer', words), held: words };
  }
  if (ended !== null) return { access: read('ended', ended), held: null };
  return { access: full === null ? WRITE : read('storage', full), held: null };
}
