import { compareHeads } from '../../../../src/sync/heads.ts';
import type { Bug } from '../campaign.ts';
import { A } from '../cast.ts';
import { asBy, core, onWorld } from './plant.ts';

/** Bugs of stages, and of the lock of an approved case. */
export const IN_SIGNING: Record<string, Bug> = {
  'the-last-move-is-the-stage': core((real) => ({
    stageOf: (moves) => {
      const last = moves.toSorted(compareHeads).at(-1);
      return last === undefined ? real.stageOf([]) : real.stageOf([last]);
    },
  })),
  'moves-count-as-they-come': core((real) => ({
    stageOf: (moves) => {
      const last = moves.at(-1);
      return last === undefined ? real.stageOf([]) : real.stageOf([last]);
    },
  })),
  'an-amendment-opens-nothing': core((real) => ({
    stageOf: (moves) => {
      const approval = moves.find(({ value }) => value.stage === 'approved');
      return approval === undefined ? real.stageOf(moves) : real.stageOf([approval]);
    },
  })),
  'a-program-moves': asBy(/^stage\//, () => A),
  'an-approved-case-is-recorded-in': onWorld((world) => {
    world.isLocked = () => false;
  }),
  'the-lock-is-looked-at-once': onWorld((world) => {
    const { isLocked } = world;
    const known = new Map<string, boolean>();
    world.isLocked = (store) => {
      const locked = known.get(store.name) ?? isLocked.call(world, store);
      known.set(store.name, locked);
      return locked;
    };
  }),
};
