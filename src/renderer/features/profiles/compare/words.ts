export interface Piece {
  kind: 'same' | 'removed' | 'new';
  text: string;
}

/**
 * Above this many pairs of words the middle is shown as replaced: nobody reads such a difference
 * word by word.
 */
const MAX_PAIRS = 1_000_000;

const wordsOf = (text: string): string[] =>
  text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];

/** Lengths of the longest common word sequence from each pair of places on. */
function lengths(a: readonly string[], b: readonly string[]): Uint16Array {
  const width = b.length + 1;
  const table = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i * width + j] =
        a[i] === b[j]
          ? table[(i + 1) * width + j + 1]! + 1
          : Math.max(table[(i + 1) * width + j]!, table[i * width + j + 1]!);
    }
  }
  return table;
}

/**
 * From one text to the other, word by word: the pieces that are not new make up `before`, those
 * that are not removed make up `after`.
 */
export function diffWords(before: string, after: string): Piece[] {
  const a = wordsOf(before);
  const b = wordsOf(after);
  const pieces: Piece[] = [];
  const put = (kind: Piece['kind'], text: string): void => {
    const last = pieces.at(-1);
    if (last?.kind === kind) last.text += text;
    else if (text !== '') pieces.push({ kind, text });
  };
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (
    end < a.length - start &&
    end < b.length - start &&
    a[a.length - 1 - end] === b[b.length - 1 - end]
  )
    end += 1;
  const left = a.slice(start, a.length - end);
  const right = b.slice(start, b.length - end);
  put('same', a.slice(0, start).join(''));
  let i = 0;
  let j = 0;
  if (left.length * right.length <= MAX_PAIRS) {
    const table = lengths(left, right);
    const width = right.length + 1;
    while (i < left.length && j < right.length) {
      if (left[i] === right[j]) {
        put('same', left[i]!);
        i += 1;
        j += 1;
      } else if (table[(i + 1) * width + j]! >= table[i * width + j + 1]!)
        put('removed', left[i++]!);
      else put('new', right[j++]!);
    }
  }
  put('removed', left.slice(i).join(''));
  put('new', right.slice(j).join(''));
  put('same', a.slice(a.length - end).join(''));
  return pieces;
}
