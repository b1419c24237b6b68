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
