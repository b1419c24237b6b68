import { useState } from 'react';
import { Button } from './Button.tsx';
import { t } from '../text/t.ts';

export interface PagerState {
  page: number;
  pages: number;
  /** Index of the first entry of the page, and of the one after its last. */
  first: number;
  end: number;
  total: number;
  go: (page: number) => void;
}

/** Cuts `total` entries into pages; a page that no longer exists becomes the last one. */
export function usePager(total: number, size: number): PagerState {
  const [wanted, go] = useState(0);
  const pages = Math.max(1, Math.ceil(total / size));
  const page = Math.min(wanted, pages - 1);
  return { page, pages, first: page * size, end: Math.min(total, (page + 1) * size), total, go };
}

export function Pager({ pager, what }: { pager: PagerState; what: string }) {
  if (pager.pages === 1) return null;
  return (
    <nav className="actions" aria-label={t('Pages of {what}', { what })}>
      <Button size="sm" disabled={pager.page === 0} onClick={() => pager.go(pager.page - 1)}>
        {t('Previous')}
      </Button>
      <Button
        size="sm"
        disabled={pager.page === pager.pages - 1}
        onClick={() => pager.go(pager.page + 1)}
      >
        {t('Next')}
      </Button>
      <span className="muted small num" role="status">
        {t('{from}–{to} of {total} {what}', {
          from: pager.first + 1,
          to: pager.end,
          total: pager.total,
          what,
        })}
      </span>
    </nav>
  );
}

interface ListPagerProps {
  list: {
    data: readonly unknown[] | undefined;
    offset: number;
    isFirst: boolean;
    hasNext: boolean;
    loading: boolean;
    next: () => void;
    previous: () => void;
  };
  what: string;
}

/** Between the pages of a list whose length is not known. */
export function ListPager({ list, what }: ListPagerProps) {
  const { data = [], offset, isFirst, hasNext, loading } = list;
  if (isFirst && !hasNext) return null;
  // A button that has the focus keeps it while the next page is on its way.
  const step = (isThere: boolean, go: () => void) => ({
    'aria-disabled': !isThere,
    onClick: () => {
      if (isThere && !loading) go();
    },
  });
  return (
    <nav className="actions" aria-label={t('Pages of {what}', { what })} aria-busy={loading}>
      <Button size="sm" {...step(!isFirst, list.previous)}>
        {t('Previous')}
      </Button>
      <Button size="sm" {...step(hasNext, list.next)}>
        {t('Next')}
      </Button>
      <span className="muted small num" role="status">
        {data.length === 0
          ? t('No more {what}', { what })
          : `${what.charAt(0).toUpperCase()}${what.slice(1)} ${offset + 1}–${offset + data.length}`}
      </span>
    </nav>
  );
}
