import type { ReadContext, WriteContext } from './context.ts';
import { pause } from './pace.ts';
import { deflateText, unpack } from './packed.ts';
import { StoreError } from './port.ts';

const NAMES_AT_ONCE = 100;

/** The names, of these, that the account does not hold. */
export async function missingBlobs(ctx: ReadContext, account: string, names: readonly string[]): Promise<string[]> {
  const { db, list } = ctx.session;
  const wanted = [...new Set(names)];
  const rows = await db.selectFrom('blobs').select('sha256').where('account_id', '=', account).where('sha256', 'in', list(wanted)).execute();
  const held = new Set(rows.map((row) => row.sha256));
  return wanted.filter((name) => !held.has(name));
}

function inflate(ctx: ReadContext, packed: Uint8Array, name: string): string | undefined {
  try {
    const text = unpack(null, packed);
    return ctx.ports.hasher.sha256Hex(text) === name ? text : undefined;
  } catch {
    return undefined;
  }
}

/** The texts that hash to their names. What is held and damaged is left out, as is what is not held. */
export async function readBlobs(ctx: ReadContext, account: string, names: readonly string[]): Promise<Map<string, string>> {
  const { db, list } = ctx.session;
  const found = new Map<string, string>();
  for (let start = 0; start < names.length; start += NAMES_AT_ONCE) {
    if (start > 0) await pause();
    const rows = await db.selectFrom('blobs').select(['sha256', 'packed']).where('account_id', '=', account).where('sha256', 'in', list(names.slice(start, start + NAMES_AT_ONCE))).execute();
    for (const { sha256, packed } of rows) {
      const text = inflate(ctx, packed, sha256);
      if (text !== undefined) found.set(sha256, text);
    }
  }
  return found;
}

/** Blobs read at once for an answer: of the usual size they fill it. */
const READ_AT_ONCE = 25;

export async function firstBlobs(ctx: ReadContext, account: string, names: readonly string[], bytes: number): Promise<[name: string, text: string][]> {
  const found: [string, string][] = [];
  let left = bytes;
  for (let start = 0; start < names.length; start += READ_AT_ONCE) {
    for (const [name, text] of await readBlobs(ctx, account, names.slice(start, start + READ_AT_ONCE))) {
      left -= Buffer.byteLength(text);
      if (left < 0 && found.length > 0) return found;
      found.push([name, text]);
    }
  }
  return found;
}

/** One text; undefined where it is not held. Throws integrity_error where all that is held of it is damaged. */
export async function readBlob(ctx: ReadContext, account: string, name: string): Promise<string | undefined> {
  const text = (await readBlobs(ctx, account, [name])).get(name);
  if (text === undefined && (await missingBlobs(ctx, account, [name])).length === 0) throw new StoreError('integrity_error', 'The stored content no longer matches its hash.');
  return text;
}

/** Stores texts under their hashes; how many were not held. Throws hash_mismatch. A damaged copy stays, and a good one is put beside it. */
export async function putBlobs(ctx: WriteContext, account: string, texts: ReadonlyMap<string, string>): Promise<number> {
  for (const [name, text] of texts) if (ctx.ports.hasher.sha256Hex(text) !== name) throw new StoreError('hash_mismatch', 'A blob does not hash to its name; nothing was stored.');
  const { db, list } = ctx.session;
  const names = [...texts.keys()];
  const good = await readBlobs(ctx, account, names);
  const wanted = names.filter((name) => !good.has(name));
  if (wanted.length === 0) return 0;
  const copies = await db.selectFrom('blobs').select((eb) => ['sha256', eb.fn.countAll<number>().as('n')]).where('account_id', '=', account).where('sha256', 'in', list(wanted)).groupBy('sha256').execute();
  const copyOf = new Map(copies.map((row) => [row.sha256, Number(row.n)]));
  const rows: unknown[][] = [];
  for (const name of wanted) rows.push([account, name, copyOf.get(name) ?? 0, await deflateText(texts.get(name) as string)]);
  await ctx.session.insert('blobs', ['account_id', 'sha256', 'copy', 'packed'], rows, { target: ['account_id', 'sha256', 'copy'], update: [] });
  return wanted.length;
}
