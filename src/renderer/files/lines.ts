import { gunzip } from './gzip.ts';
import { FileProblem } from './table.ts';
import { t } from '../text/t.ts';

/** One record with all its samples; a file of one endless line is refused instead of kept. */
const LONGEST = 64 * 1024 * 1024;

/** Decoded and split at once: a few milliseconds. A stream may hand over a whole file. */
const SLICE = 256 * 1024;

async function* plain(file: Blob): AsyncGenerator<{ bytes: Uint8Array; read: number }> {
  for (let at = 0; at < file.size; at += SLICE) {
    const bytes = new Uint8Array(await file.slice(at, at + SLICE).arrayBuffer());
    yield { bytes, read: at + bytes.length };
  }
}

export interface Lines {
  lines: string[];
  /** The number of the first of them in the file, from 1. */
  first: number;
  /** Share of the file that was read. */
  done: number;
}

/** The lines of a UTF-8 file, a piece of the file at a time, without their ends. */
export async function* linesOf(file: Blob, isPacked: boolean): AsyncGenerator<Lines> {
  const decoder = new TextDecoder();
  let rest = '';
  let first = 1;
  for await (const { bytes, read } of isPacked ? gunzip(file) : plain(file)) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST)
      throw new FileProblem(t('Line {line} is too long to be read.', { line: first }));
    yield { lines: lines.map(withoutReturn), first, done: read / Math.max(1, file.size) };
    first += lines.length;
  }
  rest += decoder.decode();
  if (rest !== '') yield { lines: [withoutReturn(rest)], first, done: 1 };
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);
