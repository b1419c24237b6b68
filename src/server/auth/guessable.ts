import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';

/** Words that everybody who attacks this server knows. */
const WORDS = [
  'evidence',
  'studio',
  'passwort',
  'passphrase',
  'laboratory',
  'labor',
  'hospital',
  'klinik',
  'genetics',
  'variant',
  'sequencing',
];
/** A password has to stand this many guesses, as a power of ten. */
const LEAST_GUESSES = 12;
/**
 * The search takes time that grows with the square of the length; what follows only adds to the
 * guesses.
 */
const SEARCHED = 48;

const WHY =
  'It could be guessed: it is made of words, names, dates or runs that are tried early. Take several words that do not belong together.';

/** Guesses that a password stands, as a power of ten. */
type Estimate = (password: string, words: readonly string[]) => Promise<number>;

/** Words of names, and the names whole. */
function wordsOf(names: readonly string[]): string[] {
  const parts = names.flatMap((name) => [name, ...name.split(/[^\p{L}\p{N}]+/u)]);
  return [
    ...new Set([
      ...parts.map((part) => part.toLowerCase()).filter((part) => part.length >= 3),
      ...WORDS,
    ]),
  ];
}

const Answer = z.strictObject({ id: z.int(), guesses: z.number() });
/** An unused thread gives its memory back after this long, ms. */
const UNUSED_MS = 60_000;

/** Beside this file: TypeScript, or a build's JavaScript as this is. */
const THREAD = new URL(`guess-thread${path.extname(import.meta.filename)}`, import.meta.url);

/** A thread with the lists, begun with the first estimate. */
function createEstimator(): Estimate {
  let thread: Worker | undefined;
  let ending: NodeJS.Timeout | undefined;
  let asked = 0;
  const waiting = new Map<
    number,
    { resolve: (guesses: number) => void; reject: (error: Error) => void }
  >();
  const begin = (): Worker => {
    const begun = new Worker(THREAD);
    begun.unref();
    begun.on('message', (message: unknown) => {
      const { id, guesses } = Answer.parse(message);
      waiting.get(id)?.resolve(guesses);
      waiting.delete(id);
      if (waiting.size > 0) return;
      begun.unref();
      ending = setTimeout(() => {
        thread = undefined;
        void begun.terminate();
      }, UNUSED_MS).unref();
    });
    begun.once('error', (error) => {
      if (thread === begun) thread = undefined;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    });
    return begun;
  };
  return (password, words) => {
    clearTimeout(ending);
    thread ??= begin();
    thread.ref();
    const id = (asked += 1);
    thread.postMessage({ id, password, words });
    return new Promise((resolve, reject) => void waiting.set(id, { resolve, reject }));
  };
}
const estimateInThread = createEstimator();

/**
 * Why a password would be guessed, or undefined. `names` are those of its person and account, which
 * are tried first.
 */
export async function whyGuessable(
  password: string,
  names: readonly string[],
  estimate: Estimate = estimateInThread,
): Promise<string | undefined> {
  const searched = [...password.normalize('NFKC')].slice(0, SEARCHED).join('');
  return (await estimate(searched, wordsOf(names))) < LEAST_GUESSES ? WHY : undefined;
}
