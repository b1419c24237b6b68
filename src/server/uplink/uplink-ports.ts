import type { Deps } from '../context/deps.ts';
import type { KeyKeeper } from './key-keeper.ts';

export interface UplinkPorts extends Pick<
  Deps,
  'store' | 'clock' | 'random' | 'hasher' | 'home' | 'version' | 'logger'
> {
  keeper: KeyKeeper;
  /** Identifies this process in link rows. */
  boot: string;
  fetch: typeof globalThis.fetch;
}
