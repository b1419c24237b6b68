import type { Role, Scope } from '../../shared/contract/v1/account.ts';
import type { Actor } from '../storage/actor.ts';

/** Who calls, and by which way: an API key, a browser session, or the window of this process. */
export interface Caller {
  actor: Actor;
  door: 'key' | 'session' | 'window';
  scopes: readonly Scope[];
  role: Role;
  /** Hash of the browser session's token; undefined without such a session. */
  session: string | null;
}

/** What these credentials allow, as a role. A key that may only read allows no more than a viewer may do. */
export const reachOf = ({ role, scopes }: Pick<Caller, 'role' | 'scopes'>): Role => (scopes.includes('write') ? role : 'viewer');
