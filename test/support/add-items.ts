import type { ItemEdit, MatrixSession } from '../../src/renderer/data/store/port.ts';

/**
 * Adds rows at the end as one gesture; those that the session would refuse are left out, and
 * returned with the reason.
 */
export async function addItems(
  session: MatrixSession,
  wanted: readonly { item_uid: string; label?: string; item_type?: string }[],
): Promise<{ item_uid: string | undefined; message: string }[]> {
  const edits = wanted.map((item): ItemEdit => ({ do: 'add', ...item }));
  const refused = session.check(edits);
  const unfit = new Set(refused.map(({ index }) => index));
  await session.apply({ label: 'Add items', items: edits.filter((_, index) => !unfit.has(index)) });
  return refused.map(({ index, message }) => ({ item_uid: wanted[index]?.item_uid, message }));
}
