import type { Bug } from '../campaign.ts';
import { clients, core, onLogs, onReplicas, onWorld } from './plant.ts';

/** Bugs of servers that fail (R12). */
export const FAULTS: Record<string, Bug> = {
  'fault-waits-for-ever': core((real) => ({
    blame: (...given) => ({ ...real.blame(...given), verdict: 'wait' }),
  })),
  'fault-of-everything-is-blamed': core((real) => ({
    blame: (before, batch, now) => real.blame(before, batch, now, true),
  })),
  'fault-blames-the-first-of-a-batch': core((real) => ({
    blame: (...given) => {
      const checked = real.blame(...given);
      return checked.verdict === 'halve' ? { ...checked, verdict: 'set_aside' } : checked;
    },
  })),
  'fault-drops-the-change': onReplicas((replica) => {
    replica.setAside = (id) => replica.settle([id]);
  }),
  'fault-passes-over-the-batch': onLogs((store) => {
    store.setAside = (id) => {
      if (store.link !== null)
        store.link = {
          ...store.link,
          push_pos: store.log.indexOf(id) + 1,
          again_to: 0,
          rev: store.link.rev + 1,
        };
    };
  }),
  'aside-is-never-offered-again': onWorld((world) =>
    clients(world, (store) => {
      store.port.aside = async () => [];
    }),
  ),
};
