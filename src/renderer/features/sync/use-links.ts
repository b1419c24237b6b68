import { useEffect, useState } from 'react';
import { type LinkStatus, listLinks, MAX_LINKS } from '../../../shared/contract/v1/uplink.ts';
import { useServices } from '../../state/services.tsx';
import { useUplink } from '../../state/use-sync-status.ts';

interface Links {
  data: readonly LinkStatus[];
  offset: number;
  isFirst: boolean;
  hasNext: boolean;
  loading: boolean;
  next: () => void;
  previous: () => void;
}

/** All that is synced, a page at a time, for a status that leaves some out. */
export function useLinks(told: readonly LinkStatus[], isWhole: boolean): Links {
  const { call } = useServices();
  const { at } = useUplink();
  const [cursors, go] = useState<readonly string[]>([]);
  const [page, show] = useState<{ of: string; data: LinkStatus[]; next: string | null }>();
  const cursor = cursors.at(-1) ?? '';
  useEffect(() => {
    if (isWhole) return undefined;
    let isLeft = false;
    call(listLinks, {
      query: { limit: String(MAX_LINKS), ...(cursor !== '' && { cursor }) },
    }).then(
      ({ data, next_cursor: next }) => {
        if (!isLeft) show({ of: cursor, data, next });
      },
      () => undefined,
    );
    return () => {
      isLeft = true;
    };
  }, [call, isWhole, cursor, at]);
  const isLoaded = isWhole || page?.of === cursor;
  const following = isLoaded ? (page?.next ?? null) : null;
  return {
    data: isWhole ? told : (page?.data ?? []),
    offset: cursors.length * MAX_LINKS,
    isFirst: cursors.length === 0,
    hasNext: !isWhole && following !== null,
    loading: !isLoaded,
    next: () => following !== null && go([...cursors, following]),
    previous: () => go(cursors.slice(0, -1)),
  };
}
