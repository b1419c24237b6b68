import type { ErrorDetail } from '../../shared/contract/errors.ts';
import { OTHER_SECRET } from './secret-mark.ts';
import type { Store } from '../storage/store.ts';

/**
 * Why this instance should be sent no requests: what is wrong with which part, or that it is
 * stopping. Undefined where nothing is.
 */
export type Readiness = () => Promise<ErrorDetail | { message: string } | undefined>;

export function createReadiness(
  store: Store,
  isLeaving: () => boolean,
  hasOtherSecret: () => Promise<boolean>,
): Readiness {
  return async () => {
    if (isLeaving()) return { message: 'The server is stopping.' };
    const { read_only } = store.health();
    if (read_only !== null) return { path: 'store', code: 'read_only', message: read_only };
    const silent = {
      path: 'database',
      code: 'unavailable',
      message: 'The database server does not answer.',
    };
    if (!(await store.answers())) return silent;
    try {
      return (await hasOtherSecret())
        ? { path: 'secret', code: 'other_secret', message: OTHER_SECRET }
        : undefined;
    } catch {
      return silent;
    }
  };
}
