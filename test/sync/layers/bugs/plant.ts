import type { Author, Change } from '../../../../src/sync/change.ts';
import type { Bug } from '../campaign.ts';
import type { LayersCore } from '../core.ts';
import type { Store } from '../store.ts';
import type { World } from '../world.ts';

export const core = (replaced: (real: LayersCore) => Partial<LayersCore>): Bug => ({
  core: replaced,
});
export const onWorld = (world: (world: World) => void): Bug => ({ world });
export const onStores = (change: (store: Store) => void): Bug =>
  onWorld((world) => world.all().forEach(change));

/** Entries of these registers are judged as if this author had written them. */
export const asBy = (registers: RegExp, by: (change: Change, reg: string) => Author): Bug =>
  core((real) => ({
    appliedRegister: (change, index, schema) => {
      const reg = change.entries[index]?.reg ?? '';
      return real.appliedRegister(
        registers.test(reg) ? { ...change, by: by(change, reg) } : change,
        index,
        schema,
      );
    },
  }));
