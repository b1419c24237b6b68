import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import type { CachedAnswer, Library } from '../data/api/library.ts';
import type { ShownFailure } from './failure.ts';
import { useServices } from './services.tsx';

export interface Query<T> {
  /** The newest answer; stays while it is refreshed, and when a refresh fails. */
  data: T | undefined;
  /** When the shown copy was made, ms since 1970, where the server could not be asked. */
  keptAt: number | undefined;
  /** The copy shown is of a list that may have more. */
  isPartial: boolean;
  failure: ShownFailure | undefined;
  loading: boolean;
  reload: () => void;
}

/**
 * Loads on first use of the key and again when the page is opened; `key` names the answer among all
 * of them.
 */
export function useQuery<T>(
  key: string,
  load: (library: Library) => Promise<CachedAnswer<T>>,
): Query<T> {
  const { queries, library } = useServices();
  const latest = useRef(load);
  useEffect(() => {
    latest.current = load;
  });
  const subscribe = useCallback(
    (listener: () => void) => queries.subscribe(key, listener),
    [queries, key],
  );
  const state = useSyncExternalStore(subscribe, () => queries.read(key));
  const reload = useCallback(
    () => void queries.load(key, () => latest.current(library)),
    [queries, library, key],
  );
  useEffect(() => {
    reload();
    window.addEventListener('online', reload);
    return () => window.removeEventListener('online', reload);
  }, [reload]);
  return {
    data: state.data as T | undefined,
    keptAt: state.keptAt,
    isPartial: state.isPartial,
    failure: state.failure,
    loading: state.loading,
    reload,
  };
}

/** Whether there is an answer by now, or a reason why there is none. */
export const isAnswered = ({ data, failure }: Query<unknown>): boolean =>
  data !== undefined || failure !== undefined;

/** The same query with its answer in another form. */
export function mapQuery<T, U>(query: Query<T>, change: (data: T) => U): Query<U> {
  return { ...query, data: query.data === undefined ? undefined : change(query.data) };
}
