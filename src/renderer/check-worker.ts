import './without-eval.ts';
import { browserHasher } from './app/browser-hasher.ts';
import { type Checked, type Checking, damageIn } from './data/replica/checking.ts';

/**
 * The worker's composition root: checks the changes that a window has read, on a thread of its own.
 * It is one file, and its content policy lets it load nothing else.
 */
const thread: {
  onmessage: ((event: MessageEvent<Checking>) => void) | null;
  postMessage(checked: Checked): void;
} = globalThis;
thread.onmessage = ({ data: { number, changes } }) =>
  thread.postMessage({ number, damage: damageIn(changes, browserHasher) });
