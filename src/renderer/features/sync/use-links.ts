import { useEffect } from 'react';
import { type LinkStatus, listLinks } from '../../../shared/contract/v1/uplink.ts';
import { useServices } from '../../state/services.tsx';
import { type List, useList } from '../../state/use-list.ts';
import { useUplink } from '../../state/use-sync-status.ts';

const KEY = 'links';

/** All that is synced, a page at a time; asked again with each status. */
export function useLinks(): List<LinkStatus> {
  const { call, queries } = useServices();
  const { at } = useUplink();
  useEffect(() => queries.invalidate(KEY), [queries, at]);
  return useList(KEY, '', async (_, { cursor, limit }) => {
    const { data, next_cursor: next } = await call(listLinks, {
      query: { limit: String(limit), ...(cursor !== undefined && { cursor }) },
    });
    return { data: { entries: data, next }, stale: false, at };
  });
}
