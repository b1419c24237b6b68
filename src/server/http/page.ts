import type { Page } from '../storage/db/cursor.ts';

const DEFAULT_LIMIT = 50;

/** Paging parameters, whose form the query schema has checked, as the store takes them. */
export function toPage(query: { limit?: string | undefined; cursor?: string | undefined }): Page {
  return {
    limit: query.limit === undefined ? DEFAULT_LIMIT : Number(query.limit),
    cursor: query.cursor,
  };
}
