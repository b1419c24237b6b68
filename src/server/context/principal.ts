import type { Credential } from '../../shared/contract/rights.ts';
import type { Actor } from '../storage/db/actor.ts';

/** Who calls, and by which way: an API key, a browser session, or the window of this process. */
export interface Principal extends Credential {
  actor: Actor;
  /** Hash of the browser session's token; undefined without such a session. */
  session: string | null;
}
