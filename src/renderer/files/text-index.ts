/** Least room, a power of two; at most half of it is taken. */
const LEAST = 1 << 12;
/** Texts made to fall on one place would else be compared with each other. */
const MOST_STEPS = 64;

/** Where a part of a text is looked for first. */
export function hashOf(text: string, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash ^ (hash >>> 15);
}

const isPart = (word: string, text: string, from: number, to: number): boolean =>
  word.length === to - from && text.startsWith(word, from);

/**
 * Numbers texts from 1 on, each different one once. A text is looked for as a part of another, and
 * only a new one is taken out of it: most fields of a file repeat others.
 */
export class TextIndex {
  /** Number -> text, and its hash. */
  readonly #texts: string[] = [''];
  readonly #hashes: number[] = [0];
  /** Place -> number, 0 where nothing stands. */
  #places = new Uint32Array(LEAST);
  /** Texts that found no place near their own. */
  readonly #others = new Map<string, number>();

  /** The number of a part of a text. */
  number(text: string, from: number, to: number): number {
    const hash = hashOf(text, from, to);
    const mask = this.#places.length - 1;
    let free: number | undefined;
    for (let step = 0; step < MOST_STEPS; step += 1) {
      const place = (hash + step) & mask;
      const number = this.#places[place]!;
      if (number === 0) {
        free = place;
        break;
      }
      if (this.#hashes[number] === hash && isPart(this.#texts[number]!, text, from, to))
        return number;
    }
    return this.#add(text.slice(from, to), hash, free);
  }

  textOf(number: number): string {
    return this.#texts[number] ?? '';
  }

  #add(text: string, hash: number, free: number | undefined): number {
    const known = this.#others.get(text);
    if (known !== undefined) return known;
    const number = this.#texts.length;
    this.#texts.push(text);
    this.#hashes.push(hash);
    if (free === undefined) this.#others.set(text, number);
    else this.#places[free] = number;
    if (number * 2 > this.#places.length) this.#grow();
    return number;
  }

  #grow(): void {
    const before = this.#places;
    this.#places = new Uint32Array(before.length * 2);
    const mask = this.#places.length - 1;
    for (const number of before) if (number !== 0) this.#put(number, mask);
  }

  #put(number: number, mask: number): void {
    const hash = this.#hashes[number]!;
    for (let step = 0; step < MOST_STEPS; step += 1) {
      const place = (hash + step) & mask;
      if (this.#places[place] === 0) {
        this.#places[place] = number;
        return;
      }
    }
    this.#others.set(this.#texts[number]!, number);
  }
}
