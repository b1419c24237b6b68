import type { Deps } from '../context/deps.ts';
import type { KeyStore } from './key-store.ts';

export interface UplinkPorts extends Pick<
  Deps,
  'store' | 'clock' | 'random' | 'hasher' | 'home' | 'version' | 'logger'
> {
  keyStore: KeyStore;
  /** Identifies this process in link rows. */
  boot: string;
  fetch: typeof globalThis.fetch;
}
