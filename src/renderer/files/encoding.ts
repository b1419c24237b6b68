export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/**
 * What a reader puts in the place of bytes that are no character: its presence says that a text is
 * damaged.
 */
export const REPLACEMENT = '\ufffd';

const HEAD = 4_096;

/**
 * Byte order mark first, then zero bytes as UTF-16 has them, then whether all of it is UTF-8.
 * Windows-1252 is what remains, and only a guess.
 */
export async function detectEncoding(file: Blob): Promise<Encoding> {
  const head = new Uint8Array(await file.slice(0, HEAD).arrayBuffer());
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  const zeros = [0, 0];
  for (const [index, byte] of head.entries()) if (byte === 0) zeros[index % 2]! += 1;
  if (zeros[0]! + zeros[1]! > head.length / 4)
    return zeros[1]! > zeros[0]! ? 'utf-16le' : 'utf-16be';
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      decoder.decode(value, { stream: !done });
      if (done) return 'utf-8';
    }
  } catch {
    void reader.cancel();
    return 'windows-1252';
  }
}

/** The text in pieces; a byte order mark is dropped. */
export async function* decode(
  file: Blob,
  encoding: Encoding,
): AsyncGenerator<{ text: string; bytes: number }> {
  const decoder = new TextDecoder(encoding);
  const reader = file.stream().getReader();
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      bytes += value?.length ?? 0;
      const text = decoder.decode(value, { stream: !done });
      if (text !== '') yield { text, bytes };
      if (done) return;
    }
  } finally {
    void reader.cancel();
  }
}
