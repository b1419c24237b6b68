import { createHmac } from 'node:crypto';
import type { Store } from '../storage/store.ts';

export const OTHER_SECRET =
  'This instance has another secret than the one that the keys of this database were made ' +
  'under: give it the same EVIDENCE_STUDIO_SECRET_FILE as the others.';
/** How long an answer is good for, ms. */
const FRESH_MS = 500;

const markOf = (hmacSecret: Uint8Array): string =>
  createHmac('sha256', hmacSecret)
    .update('which secret the keys of a database were made under')
    .digest('hex');

/**
 * Whether the secret is the one that the database's keys were made under. Where that is not known
 * yet, or with `replace`, it becomes so.
 */
export async function claimSecret(
  store: Store,
  hmacSecret: Uint8Array,
  { replace }: { replace: boolean },
): Promise<boolean> {
  const mark = markOf(hmacSecret);
  const known = await store.ask((reader) => reader.secretMark());
  if (known === mark) return true;
  if (known !== undefined && !replace) return false;
  return (await store.transact((writer) => writer.takeSecretMark(mark, replace))) === mark;
}

/**
 * Tells whether the database's keys were made under another secret, which may come to be so while
 * the server runs.
 */
export function createSecretCheck({
  store,
  hmacSecret,
}: {
  store: Store;
  hmacSecret: Uint8Array;
}): () => Promise<boolean> {
  let asked: Promise<boolean> | undefined;
  const ask = async (): Promise<boolean> => {
    const known = await store.ask((reader) => reader.secretMark());
    return known !== undefined && known !== markOf(hmacSecret);
  };
  return () => {
    if (asked === undefined) {
      asked = ask();
      const forget = (): void => void setTimeout(() => (asked = undefined), FRESH_MS).unref();
      asked.then(forget, () => (asked = undefined));
    }
    return asked;
  };
}
