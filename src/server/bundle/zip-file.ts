import {
  configure,
  TextReader,
  Uint8ArrayReader,
  Uint8ArrayWriter,
  ZipReader,
  ZipWriter,
} from '@zip.js/zip.js';
import { TOKEN_END } from '../../shared/domain/run-crate.ts';

configure({ useWebWorkers: false });

const MIB = 1024 * 1024;
/** What no bundle of a run goes beyond, whatever a file says of itself. */
export const BUNDLE_LIMITS = { file: 200 * MIB, unpacked: 400 * MIB, parts: 1_000 };

/** A file that is no ZIP file as bundles are. */
export class ZipProblem extends Error {
  override name = 'ZipProblem';
}

/** Dates are those of the parts: the same parts and time give the same bytes. */
export async function zipParts(
  parts: Iterable<readonly [name: string, content: string | Uint8Array]>,
  time: Date,
): Promise<Uint8Array> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), {
    lastModDate: time,
    extendedTimestamp: false,
    keepOrder: true,
  });
  for (const [name, content] of parts)
    await writer.add(
      name,
      typeof content === 'string' ? new TextReader(content) : new Uint8ArrayReader(content),
    );
  return writer.close();
}

/** Collects what a part unpacks to, and refuses more than is left for all of them. */
function bounded(left: number): {
  writable: WritableStream<Uint8Array>;
  bytes(): Buffer;
} {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  return {
    writable: new WritableStream({
      write(piece) {
        bytes += piece.length;
        if (bytes > left) throw new ZipProblem('It unpacks to more than any bundle holds.');
        pieces.push(piece);
      },
    }),
    bytes: () => Buffer.concat(pieces),
  };
}

async function readParts(
  file: Uint8Array,
  limits: typeof BUNDLE_LIMITS,
): Promise<Map<string, string | Uint8Array>> {
  const reader = new ZipReader(new Uint8ArrayReader(file), {
    strictness: 'strict',
    checkOverlappingEntry: true,
    checkSignature: true,
  });
  const parts = new Map<string, string | Uint8Array>();
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let left = limits.unpacked;
  let count = 0;
  for await (const entry of reader.getEntriesGenerator()) {
    count += 1;
    if (count > limits.parts) throw new ZipProblem('It has more parts than any bundle.');
    if (entry.encrypted) throw new ZipProblem('It is protected by a password.');
    if (entry.directory) continue;
    if (parts.has(entry.filename)) throw new ZipProblem(`${entry.filename} is in it twice.`);
    const collected = bounded(left);
    await entry.getData(collected.writable);
    const bytes = collected.bytes();
    left -= bytes.length;
    parts.set(entry.filename, entry.filename.endsWith(TOKEN_END) ? bytes : decoder.decode(bytes));
  }
  return parts;
}

/**
 * The parts of a ZIP file by their names: texts, and time-stamps as bytes. Any other file is
 * refused with a ZipProblem.
 */
export async function unzipParts(
  file: Uint8Array,
  limits = BUNDLE_LIMITS,
): Promise<Map<string, string | Uint8Array>> {
  if (file.length > limits.file) throw new ZipProblem('It is larger than any bundle.');
  try {
    return await readParts(file, limits);
  } catch (error) {
    if (error instanceof ZipProblem) throw error;
    throw new ZipProblem('It is damaged, or no ZIP file as bundles are.', { cause: error });
  }
}
