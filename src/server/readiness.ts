import type { ErrorDetail } from '../shared/contract/errors.ts';
import type { Store } from './storage/port.ts';

/** Why this instance should be sent no requests: what is wrong with which part, or that it is stopping. Undefined where nothing is. */
export type Readiness = () => Promise<ErrorDetail | { message: string } | undefined>;

export function createReadiness(store: Store, isLeaving: () => boolean): Readiness {
  return async () => {
    if (isLeaving()) return { message: 'The server is stopping.' };
    const { read_only } = store.health();
    if (read_only !== null) return { path: 'store', code: 'read_only', message: read_only };
    return (await store.answers()) ? undefined : { path: 'database', code: 'unavailable', message: 'The database server does not answer.' };
  };
}
