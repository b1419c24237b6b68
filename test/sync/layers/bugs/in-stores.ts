import type { Bug } from '../campaign.ts';
import { asBy, onStores, onWorld } from './plant.ts';
import { A, C } from '../cast.ts';

/** Bugs of stores: what they take, keep, pass on, and classify again. */
export const IN_STORES: Record<string, Bug> = {
  'an-old-version-drops-what-it-does-not-know': onWorld((world) => {
    const { hosted } = world;
    world.relayed = (held) =>
      hosted.schema < 4 && hosted.quarantined(held).length > 0
        ? JSON.stringify({ ...held.change, entries: [] })
        : held.text;
  }),
  'upgrade-classifies-nothing-again': onStores((store) => {
    const { rebuild } = store;
    store.rebuild = (changes) => {
      if (changes !== undefined) rebuild.call(store, changes);
    };
  }),
  'restore-keeps-what-was-shown': onWorld((world) => {
    world.load = (store, saved) => {
      store.held = new Map(saved.map((held) => [held.id, held]));
      store.dirty = true;
      store.version += 1;
    };
  }),
  'what-is-refused-is-gone': onWorld((world) => {
    const { take } = world;
    world.take = (from, held) => {
      take.call(world, from, held);
      if (from.refused.has(held.id)) {
        from.held.delete(held.id);
        from.rebuild();
      }
    };
  }),
  'the-author-is-not-asked': onWorld((world) => {
    world.isAllowed = () => true;
  }),
  'an-old-version-takes-layers': onWorld((world) => {
    const { takes } = world;
    world.takes = (from, held) => world.hosted.schema < 4 || takes.call(world, from, held);
    const { gives } = world;
    world.gives = (to, stream) => world.hosted.schema < 4 || gives.call(world, to, stream);
  }),
  'a-layer-of-anybody': asBy(/^(a|committed)\//, (change) => {
    const recorder = change.case.split('/').at(-1) ?? '';
    if (!change.case.startsWith('@layer/')) return change.by;
    return recorder.startsWith('usr_')
      ? { ...A, user: recorder as typeof A.user }
      : { ...C, kind: 'agent', agent: 'x', key: recorder as NonNullable<typeof C.key> };
  }),
};
