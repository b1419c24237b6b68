import type { Change } from '../../../../src/sync/change.ts';
import type { Bug } from '../campaign.ts';
import type { Core } from '../core.ts';
import type { LogStore } from '../log-store.ts';
import type { Replica } from '../replica.ts';
import { NEWEST, type Store, type World } from '../world.ts';

export const logs = (world: World, change: (store: LogStore) => void): void =>
  world.logs().forEach(change);
export const replicas = (world: World, change: (replica: Replica) => void): void =>
  world.replicas.forEach(change);
export const every = (world: World, change: (store: Store) => void): void =>
  world.stores.forEach(change);
/** Everybody who has a link, and so a port that the driver works on. */
export const clients = (world: World, change: (store: Store) => void): void =>
  world.clients.forEach(change);
export const core = (replaced: (real: Core) => Partial<Core>): Bug => ({ core: replaced });
export const onLogs = (change: (store: LogStore, world: World) => void): Bug => ({
  world: (world) => logs(world, (store) => change(store, world)),
});
export const onReplicas = (change: (replica: Replica) => void): Bug => ({
  world: (world) => replicas(world, change),
});
export const onWorld = (world: (world: World) => void): Bug => ({ world });
export const unknown = (change: Change): boolean =>
  change.entries.some((entry) => ((entry as { schema?: number }).schema ?? 1) > NEWEST);

/** Takes names off a register's heads, as none of the rules would. */
export function hide(store: LogStore, reg: string, names: readonly string[]): void {
  const state = store.views.registers.get(reg);
  if (state !== undefined && names.length > 0)
    store.views.registers.set(reg, {
      ...state,
      heads: state.heads.filter(({ name }) => !names.includes(name)),
    });
}
