/** Everything in a list, page by page. */
export async function allOf<T>(
  ask: (cursor: { cursor?: string }) => Promise<{ data: T[]; next_cursor: string | null }>,
): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | null = null;
  do {
    const page: { data: T[]; next_cursor: string | null } = await ask(
      cursor === null ? {} : { cursor },
    );
    found.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return found;
}
