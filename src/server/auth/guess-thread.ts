import { parentPort } from 'node:worker_threads';
import { z } from 'zod';
import { estimateGuesses } from './guess-estimate.ts';

/** Estimates in a thread of their own, since the lists take 60 MB and a search up to a second. */
const Asked = z.strictObject({ id: z.int(), password: z.string(), words: z.array(z.string()) });
parentPort?.on('message', (message: unknown) => {
  const { id, password, words } = Asked.parse(message);
  parentPort?.postMessage({ id, guesses: estimateGuesses(password, words) });
});
