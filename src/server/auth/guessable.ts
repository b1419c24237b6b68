import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { Mutex } from '../storage/mutex.ts';

/** Words that everybody who attacks this server knows. */
const WORDS = ['evidence', 'studio', 'passwort', 'passphrase', 'laboratory', 'labor', 'hospital', 'klinik', 'genetics', 'variant', 'sequencing'];
/** A password has to stand this many guesses, as a power of ten. */
const LEAST_GUESSES = 12;
/** The search takes time that grows with the square of the length; what follows only adds to the guesses. */
const SEARCHED = 48;

const WHY = 'It could be guessed: it is made of words, names, dates or runs that are tried early. Take several words that do not belong together.';

/** Guesses that a password stands, as a power of ten. */
type Estimate = (password: string, words: readonly string[]) => Promise<number>;

/** One at a time: whoever chooses a password can wait for a second. */
const oneAtATime = new Mutex();

/** Words of names, and the names whole. */
function wordsOf(names: readonly string[]): string[] {
  const parts = names.flatMap((name) => [name, ...name.split(/[^\p{L}\p{N}]+/u)]);
  return [...new Set([...parts.map((part) => part.toLowerCase()).filter((part) => part.length >= 3), ...WORDS])];
}

function guessesInThread(password: string, words: readonly string[]): Promise<number> {
  const thread = new Worker(new URL('guess-thread.ts', import.meta.url), { workerData: { password, words } });
  return new Promise<number>((resolve, reject) => {
    thread.once('message', (found: unknown) => resolve(z.number().parse(found)));
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('The estimate of a password ended without a result.')));
  });
}

/** Why a password would be guessed, or undefined. `names` are those of its person and account, which are tried first. */
export async function whyGuessable(password: string, names: readonly string[], estimate: Estimate = guessesInThread): Promise<string | undefined> {
  const searched = [...password.normalize('NFKC')].slice(0, SEARCHED).join('');
  return (await oneAtATime.run(() => estimate(searched, wordsOf(names)))) < LEAST_GUESSES ? WHY : undefined;
}
