import { FileProblem } from './table.ts';
import { t } from '../text/t.ts';

const CHUNK = 4 * 1024 * 1024;
/** Blocks that are unpacked at once. */
const AT_ONCE = 16;
const DAMAGED = t('The file is damaged: it cannot be unpacked.');

/** The first bytes of every gzip file. */
export const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b;

/**
 * The size of the block that begins here, as `bgzip` writes it into the header of each block;
 * undefined where there is no such header.
 */
function blockSize(bytes: Uint8Array, at: number): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, bytes.byteLength - at);
  if (view.byteLength < 18 || !isGzip(bytes.subarray(at, at + 2)) || (view.getUint8(3) & 4) === 0)
    return undefined;
  const end = Math.min(12 + view.getUint16(10, true), view.byteLength - 5);
  for (let field = 12; field < end; field += 4 + view.getUint16(field + 2, true))
    if (view.getUint8(field) === 66 && view.getUint8(field + 1) === 67)
      return view.getUint16(field + 4, true) + 1;
  return undefined;
}

/** What a block may hold by its format; one that unpacks to more is none. */
const MOST_IN_BLOCK = 64 * 1024;

async function unpack(block: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([block]).stream().pipeThrough(new DecompressionStream('gzip'));
  const reader = stream.getReader();
  const bytes = new Uint8Array(MOST_IN_BLOCK);
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return bytes.subarray(0, size);
    if (size + value.length > MOST_IN_BLOCK) {
      reader.cancel().catch(() => undefined);
      throw new FileProblem(DAMAGED);
    }
    bytes.set(value, size);
    size += value.length;
  }
}

/** Whether the file is one of many small blocks, as genome tools write it. */
async function isBlocked(file: Blob): Promise<boolean> {
  return blockSize(new Uint8Array(await file.slice(0, 1_024).arrayBuffer()), 0) !== undefined;
}

async function* unpackBlocks(file: Blob): AsyncGenerator<{ bytes: Uint8Array; read: number }> {
  let at = 0;
  while (at < file.size) {
    const chunk = new Uint8Array(await file.slice(at, at + CHUNK).arrayBuffer());
    const blocks: Uint8Array<ArrayBuffer>[] = [];
    let used = 0;
    for (;;) {
      const size = blockSize(chunk, used);
      if (size === undefined || used + size > chunk.length) break;
      blocks.push(chunk.subarray(used, used + size));
      used += size;
    }
    if (used === 0) throw new FileProblem(DAMAGED);
    for (let from = 0; from < blocks.length; from += AT_ONCE) {
      const some = blocks.slice(from, from + AT_ONCE);
      for (const bytes of await Promise.all(some.map(unpack))) yield { bytes, read: at + used };
    }
    at += used;
  }
}

async function* unpackStream(file: Blob): AsyncGenerator<{ bytes: Uint8Array; read: number }> {
  let read = 0;
  const counted = file.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (bytes, controller) => {
        read += bytes.length;
        controller.enqueue(bytes);
      },
    }),
  );
  const reader = counted.pipeThrough(new DecompressionStream('gzip')).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield { bytes: value, read };
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** What a gzip file holds, in pieces; `read` counts its own bytes. */
export async function* gunzip(file: Blob): AsyncGenerator<{ bytes: Uint8Array; read: number }> {
  try {
    yield* (await isBlocked(file)) ? unpackBlocks(file) : unpackStream(file);
  } catch (error) {
    throw error instanceof FileProblem ? error : new FileProblem(DAMAGED);
  }
}
