/** Where a text stops being JSON: the line and column, from 1, and what stands there. */
export interface JsonFault {
  line: number;
  column: number;
  /** It ends there, before it is whole. */
  isEnd: boolean;
}

const SPACE = /[ \t\n\r]*/y;
const WORD = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Reads as much of a text as is JSON. It is not deep: that was looked at before. */
class Reader {
  readonly #text: string;
  at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text)?.[0].length ?? 0;
    this.at += found;
    return found > 0;
  }
  #takes(character: string): boolean {
    if (this.#text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }
  #string(): boolean {
    if (!this.#takes('"')) return false;
    do this.#skip(PLAIN);
    while (this.#skip(ESCAPE));
    return this.#takes('"');
  }
  /** The entries of a list or an object, up to its end. */
  #entries(close: string, entry: () => boolean): boolean {
    this.#skip(SPACE);
    if (this.#takes(close)) return true;
    do if (!entry()) return false;
    while (this.#takes(','));
    return this.#takes(close);
  }
  #member(): boolean {
    this.#skip(SPACE);
    if (!this.#string()) return false;
    this.#skip(SPACE);
    return this.#takes(':') && this.value();
  }
  /** Whether a value stands here; `at` is behind it, or where it stops being one. */
  value(): boolean {
    this.#skip(SPACE);
    const isValue = this.#takes('{')
      ? this.#entries('}', () => this.#member())
      : this.#takes('[')
        ? this.#entries(']', () => this.value())
        : this.#text[this.at] === '"'
          ? this.#string()
          : this.#skip(WORD);
    if (isValue) this.#skip(SPACE);
    return isValue;
  }
}

/** Where a text that is no JSON stops being JSON. Nothing of it is repeated. */
export function findJsonFault(text: string): JsonFault {
  const reader = new Reader(text);
  reader.value();
  const before = text.slice(0, reader.at).split('\n');
  return {
    line: before.length,
    column: before.at(-1)!.length + 1,
    isEnd: reader.at >= text.length,
  };
}
