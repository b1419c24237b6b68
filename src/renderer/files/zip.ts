import { FileProblem } from './table.ts';
import { t } from '../text/t.ts';

export interface ZipEntry {
  name: string;
  /** Stored as it is, or deflated. */
  isStored: boolean;
  packed: number;
  size: number;
  /** Where its local header is. */
  offset: number;
}

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END_SIZE = 22;
const MAX_COMMENT = 0xffff;
const MAX_ENTRIES = 10_000;
const DAMAGED = t('The file is damaged: its list of parts cannot be read.');

/** The parts of a ZIP file by name, from the list at its end. */
export async function readZipDirectory(file: Blob): Promise<Map<string, ZipEntry>> {
  const tailAt = Math.max(0, file.size - END_SIZE - MAX_COMMENT);
  const tail = new DataView(await file.slice(tailAt).arrayBuffer());
  let end = tail.byteLength - END_SIZE;
  while (end >= 0 && tail.getUint32(end, true) !== END) end -= 1;
  if (end < 0) throw new FileProblem(DAMAGED);
  const count = tail.getUint16(end + 10, true);
  const size = tail.getUint32(end + 12, true);
  const start = tail.getUint32(end + 16, true);
  if (count > MAX_ENTRIES || start + size > file.size) throw new FileProblem(DAMAGED);
  const view = new DataView(await file.slice(start, start + size).arrayBuffer());
  const names = new TextDecoder();
  const entries = new Map<string, ZipEntry>();
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > view.byteLength || view.getUint32(at, true) !== CENTRAL)
      throw new FileProblem(DAMAGED);
    const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)];
    const [nameLength, extra, comment] = [
      view.getUint16(at + 28, true),
      view.getUint16(at + 30, true),
      view.getUint16(at + 32, true),
    ];
    if (at + 46 + nameLength > view.byteLength) throw new FileProblem(DAMAGED);
    const name = names.decode(new Uint8Array(view.buffer, at + 46, nameLength));
    const entry = {
      name,
      isStored: method === 0,
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
    };
    if ((flags & 1) !== 0)
      throw new FileProblem(t('The file is protected by a password. Save a copy without one.'));
    if (
      (method === 0 || method === 8) &&
      entry.packed !== 0xffffffff &&
      entry.offset !== 0xffffffff
    )
      entries.set(name, entry);
    at += 46 + nameLength + extra + comment;
  }
  return entries;
}

/**
 * The content of a part in pieces. `most` bounds what it may unpack to, whatever the file says of
 * itself.
 */
export async function* unzip(
  file: Blob,
  entry: ZipEntry,
  most: number,
): AsyncGenerator<{ bytes: Uint8Array; done: number }> {
  const header = new DataView(await file.slice(entry.offset, entry.offset + 30).arrayBuffer());
  if (header.byteLength < 30 || header.getUint32(0, true) !== LOCAL) throw new FileProblem(DAMAGED);
  const start = entry.offset + 30 + header.getUint16(26, true) + header.getUint16(28, true);
  const packed = file.slice(start, start + entry.packed);
  const stream = entry.isStored
    ? packed.stream()
    : packed.stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const reader = stream.getReader();
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw new FileProblem(
          t('The file is damaged: {name} cannot be unpacked.', { name: entry.name }),
        );
      });
      if (done) return;
      size += value.length;
      if (size > most)
        throw new FileProblem(
          t('{name} unpacks to more than {most} MB. The file is refused.', {
            name: entry.name,
            most: Math.round(most / 1024 / 1024),
          }),
        );
      yield { bytes: value, done: entry.size === 0 ? 1 : Math.min(1, size / entry.size) };
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1)
    value = (value & 1) === 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

function crcOf(bytes: Uint8Array, before: number): number {
  let crc = before;
  for (let at = 0; at < bytes.length; at += 1)
    crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ bytes[at]!) & 0xff]!;
  return crc;
}

export interface ZipPart {
  name: string;
  /** The content as text, in pieces. */
  content: AsyncIterable<string> | Iterable<string>;
}

/**
 * A ZIP file of deflated parts. Dates are left at 1980-01-01: the same content gives the same
 * bytes.
 */
export async function createZip(parts: Iterable<ZipPart>, type: string): Promise<Blob> {
  const encoder = new TextEncoder();
  const pieces: BlobPart[] = [];
  const central: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  for (const { name, content } of parts) {
    const title = encoder.encode(name);
    let crc = 0xffffffff;
    let size = 0;
    const deflate = new CompressionStream('deflate-raw');
    const packing = new Response(deflate.readable).blob();
    const writer = deflate.writable.getWriter();
    try {
      for await (const text of content) {
        const bytes = encoder.encode(text);
        crc = crcOf(bytes, crc);
        size += bytes.length;
        await writer.write(bytes);
      }
      await writer.close();
    } catch (error) {
      packing.catch(() => undefined);
      writer.abort().catch(() => undefined);
      throw error;
    }
    const packed = await packing;
    // Version 2.0, names in UTF-8, deflated, 1980-01-01.
    const common = [20, 0x0800, 8, 0, 0x21];
    const local = new DataView(new ArrayBuffer(30 + title.length));
    const directory = new DataView(new ArrayBuffer(46 + title.length));
    const put = (view: DataView, at: number): void => {
      for (const [index, value] of common.entries()) view.setUint16(at + index * 2, value, true);
      for (const [index, value] of [(crc ^ 0xffffffff) >>> 0, packed.size, size].entries())
        view.setUint32(at + 10 + index * 4, value, true);
      view.setUint16(at + 22, title.length, true);
    };
    local.setUint32(0, LOCAL, true);
    put(local, 4);
    new Uint8Array(local.buffer).set(title, 30);
    directory.setUint32(0, CENTRAL, true);
    directory.setUint16(4, 20, true);
    put(directory, 6);
    directory.setUint32(42, offset, true);
    new Uint8Array(directory.buffer).set(title, 46);
    pieces.push(local.buffer, packed);
    central.push(new Uint8Array(directory.buffer));
    offset += local.byteLength + packed.size;
  }
  const end = new DataView(new ArrayBuffer(END_SIZE));
  const size = central.reduce((sum, entry) => sum + entry.length, 0);
  end.setUint32(0, END, true);
  end.setUint16(8, central.length, true);
  end.setUint16(10, central.length, true);
  end.setUint32(12, size, true);
  end.setUint32(16, offset, true);
  return new Blob([...pieces, ...central, end.buffer], { type });
}
