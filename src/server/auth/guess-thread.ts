import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { estimateGuesses } from './guess-estimate.ts';

/** One estimate in a thread of its own, since the lists take 60 MB and the search up to a second. */
const { password, words } = z.strictObject({ password: z.string(), words: z.array(z.string()) }).parse(workerData);
parentPort?.postMessage(estimateGuesses(password, words));
