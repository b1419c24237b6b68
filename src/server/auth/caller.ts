import type { Role, Scope } from '../../shared/contract/v1/account.ts';
import type { Actor } from '../storage/actor.ts';

/** Who calls, and through which door: an API key, a browser session, or the window of this process. */
export interface Caller {
  actor: Actor;
  door: 'key' | 'session' | 'window';
  scopes: readonly Scope[];
  role: Role;
  /** Of a browser session: the hash of its token. */
  session: string | null;
}
