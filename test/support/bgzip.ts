import { gzipSync } from 'node:zlib';

/**
 * A text as `bgzip` packs it: gzip members of so many characters each, the size of each in its
 * header, and an empty one at the end.
 */
export function blocksOf(text: string, size: number): Buffer<ArrayBuffer> {
  const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
    text.slice(at * size, (at + 1) * size),
  );
  return Buffer.concat([...pieces, ''].map(block));
}

function block(text: string): Buffer {
  const packed = gzipSync(text);
  const header = Buffer.alloc(18);
  packed.copy(header, 0, 0, 10);
  header[3] = 4;
  header.writeUInt16LE(6, 10);
  header.write('BC', 12);
  header.writeUInt16LE(2, 14);
  header.writeUInt16LE(packed.length - 10 + 18 - 1, 16);
  return Buffer.concat([header, packed.subarray(10)]);
}
