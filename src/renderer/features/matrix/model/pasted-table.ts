import { t } from '../../../text/t.ts';

/** A block of fields, without an object a field: every different word stands once in `words`. */
export interface PastedTable {
  readonly rows: number;
  readonly columns: number;
  /** 0 is the empty field. */
  readonly words: readonly string[];
  /** Row by row, the word of each field; ABSENT where a row is shorter than others. */
  readonly fields: Uint32Array;
  /** What stood between the columns. */
  readonly separator: Separator;
  /** Its rows were the columns of what was pasted. */
  readonly turned?: true;
}

export type Separator = 'tab' | 'comma' | 'semicolon' | 'blank' | 'cells';

export const ABSENT = 0xffff_ffff;

/** Above this nothing is read: one paste takes a million cells, and their names must fit too. */
export const MAX_FIELDS = 2_000_000;

/** A paste that cannot be taken as it is; the message says why, to the person who pasted. */
export class PasteRefused extends Error {}

export const wordAt = (table: PastedTable, row: number, column: number): string => {
  const word = table.fields[row * table.columns + column];
  return word === undefined || word === ABSENT ? '' : (table.words[word] ?? '');
};

export interface PastedTableBuilder {
  add(word: string): void;
  endRow(): void;
  build(separator: Separator): PastedTable;
}

export function createTableBuilder(): PastedTableBuilder {
  const words: string[] = [''];
  const indexes = new Map<string, number>([['', 0]]);
  const ends: number[] = [];
  let fields = new Uint32Array(1_024);
  let count = 0;
  return {
    add: (word) => {
      let index = indexes.get(word);
      if (index === undefined) {
        index = words.length;
        indexes.set(word, index);
        words.push(word);
      }
      if (count === fields.length) {
        if (count >= MAX_FIELDS)
          throw new PasteRefused(
            t(
              'The clipboard holds more than {most, number} fields. Import it as a file, or paste it in parts.',
              { most: MAX_FIELDS },
            ),
          );
        const grown = new Uint32Array(Math.min(count * 4, MAX_FIELDS));
        grown.set(fields);
        fields = grown;
      }
      fields[count++] = index;
    },
    endRow: () => void ends.push(count),
    build: (separator) => {
      const columns = ends.reduce(
        (widest, end, row) => Math.max(widest, end - (ends[row - 1] ?? 0)),
        0,
      );
      const isEven = columns * ends.length === count;
      if (isEven)
        return { rows: ends.length, columns, words, fields: fields.subarray(0, count), separator };
      if (columns * ends.length > 2 * MAX_FIELDS)
        throw new PasteRefused(
          t('The rows of the clipboard differ too much in length to be one block.'),
        );
      const even = new Uint32Array(columns * ends.length).fill(ABSENT);
      ends.forEach((end, row) => even.set(fields.subarray(ends[row - 1] ?? 0, end), row * columns));
      return { rows: ends.length, columns, words, fields: even, separator };
    },
  };
}
