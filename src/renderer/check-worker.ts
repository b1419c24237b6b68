import './without-eval.ts';
import { base64url, browserHasher } from './app/browser-hasher.ts';
import type { WireChange } from '../shared/contract/sync.ts';
import type { Hasher } from '../shared/lib/hash.ts';
import { type Checked, type Checking, damageIn } from './data/replica/checking.ts';

/**
 * The worker's composition root: checks the changes that a window has read, on a thread of its own.
 * It is one file, and its content policy lets it load nothing else.
 */
const thread: {
  onmessage: ((event: MessageEvent<Checking>) => void) | null;
  postMessage(checked: Checked): void;
} = globalThis;

/**
 * A hasher that knows these texts' hashes by the browser's own SHA-256, which is faster. Outside
 * secure contexts there is none.
 */
async function hasherOf(changes: readonly WireChange[]): Promise<Hasher> {
  if (!isSecureContext) return browserHasher;
  const digests = await Promise.all(
    changes.map(({ change }) => crypto.subtle.digest('SHA-256', new TextEncoder().encode(change))),
  );
  const hashes = new Map(
    changes.map(({ change }, at) => [change, base64url(new Uint8Array(digests[at]!))]),
  );
  return {
    ...browserHasher,
    sha256Base64url: (text) => hashes.get(text) ?? browserHasher.sha256Base64url(text),
  };
}

async function check({ number, changes }: Checking): Promise<void> {
  const hasher = await hasherOf(changes);
  thread.postMessage({ number, damage: damageIn(changes, hasher) });
}

// What is thrown in a promise is no error of the worker, on which the window would check by itself.
thread.onmessage = ({ data }) =>
  void check(data).catch((error: unknown) =>
    queueMicrotask(() => {
      throw error;
    }),
  );
