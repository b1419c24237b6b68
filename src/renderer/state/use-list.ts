import { useState } from 'react';
import type { CachedAnswer, Library } from '../data/api/library.ts';
import type { ListPage, ListPlace } from '../data/api/list-page.ts';
import { type Query, useQuery } from './query.ts';

/** Entries of a page on screen. */
export const PAGE_SIZE = 50;

export interface List<T> extends Query<T[]> {
  /** How many entries come before this page. */
  offset: number;
  isFirst: boolean;
  hasNext: boolean;
  next: () => void;
  previous: () => void;
}

const FIRST: readonly (string | undefined)[] = [undefined];

/**
 * A list, one page at a time. `scope` names what it is a list of and `key` the order and filter
 * besides: another order begins at the first page, and the page before stays on screen until it is
 * there.
 */
export function useList<T>(
  scope: string,
  key: string,
  load: (library: Library, place: ListPlace) => Promise<CachedAnswer<ListPage<T>>>,
): List<T> {
  const [place, go] = useState({ of: '', cursors: FIRST });
  const name = `${scope}/${key}`;
  const cursors = place.of === name ? place.cursors : FIRST;
  const offset = (cursors.length - 1) * PAGE_SIZE;
  const cursor = cursors.at(-1);
  const query = useQuery(`${name}#${cursor ?? ''}`, (library) =>
    load(library, { cursor, offset, limit: PAGE_SIZE }),
  );
  const [shown, show] = useState({ scope, page: query.data, offset });
  if (query.data !== undefined && query.data !== shown.page)
    show({ scope, page: query.data, offset });
  const current =
    query.data === undefined && shown.scope === scope ? shown : { page: query.data, offset };
  const following = query.data?.next ?? null;
  return {
    ...query,
    data: current.page?.entries,
    offset: current.offset,
    isFirst: cursors.length === 1,
    hasNext: following !== null,
    next: () => following !== null && go({ of: name, cursors: [...cursors, following] }),
    previous: () => go({ of: name, cursors: cursors.slice(0, -1) }),
    reload: () => {
      // A page that was made of what is stored here has no place in the server's list.
      if (query.keptAt === undefined || offset === 0) query.reload();
      else go({ of: name, cursors: FIRST });
    },
  };
}
