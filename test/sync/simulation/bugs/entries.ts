import { parseEntryName } from '../../../../src/sync/change.ts';
import type { Bug } from '../campaign.ts';
import { realCore } from '../core.ts';
import type { Held } from '../log-port.ts';
import { NEWEST } from '../world.ts';
import { core, every, hide, onLogs, onWorld } from './plant.ts';

/**
 * Bugs of entries: their status, their names, their heads; their change as the unit that travels.
 */
export const ENTRIES: Record<string, Bug> = {
  'quarantine-whole-change': onWorld(({ hosted }) => {
    hosted.classify = (change, index) =>
      change.entries.some(
        (_, at) => realCore.appliedRegister(change, at, hosted.schema) === undefined,
      )
        ? undefined
        : realCore.appliedRegister(change, index, hosted.schema);
  }),
  'status-of-first-entry': core((real) => ({
    appliedRegister: (change, index, schema) =>
      real.appliedRegister(change, 0, schema) === undefined
        ? undefined
        : real.appliedRegister(change, index, NEWEST),
  })),
  'status-from-upstream': onLogs((store) => {
    const { append, classify } = store;
    store.append = (sealed, origin, reported) => {
      store.classify =
        reported === undefined
          ? classify
          : (change, index) =>
              reported.includes(index)
                ? undefined
                : realCore.appliedRegister(change, index, NEWEST);
      const added = append.call(store, sealed, origin, reported);
      store.classify = classify;
      return added;
    };
  }),
  'quarantined-supersedes': onLogs((store) => {
    const { admit } = store;
    store.admit = (held, index) => {
      const applied = admit.call(store, held, index);
      const entry = held.change.entries[index];
      if (!applied && entry !== undefined) hide(store, entry.reg, entry.parents);
      return applied;
    };
  }),
  'relay-drops-quarantined': onLogs((store) => {
    store.relayed = ({ text, change, quarantined }) =>
      quarantined.size === 0
        ? text
        : JSON.stringify({
            ...change,
            entries: change.entries.filter((_, index) => !quarantined.has(index)),
          });
  }),
  'restore-keeps-status': onLogs((store) => {
    const { load, classifyAgain } = store;
    store.load = (saved) => {
      store.classifyAgain = () => {};
      load.call(store, saved);
      store.classifyAgain = classifyAgain;
    };
  }),
  'upgrade-forgets-heads': onLogs((store) => {
    store.release = () => {};
  }),
  'upgrade-forgets-parents': onLogs((store) => {
    store.release = ({ id, change }, index) => {
      const entry = change.entries[index];
      if (entry !== undefined)
        store.views.apply(
          entry.reg,
          { name: `${id}#${index}`, hlc: change.hlc },
          [],
          entry.value,
          () => true,
        );
    };
  }),
  'upgrade-revives': onLogs((store) => {
    const { release } = store;
    store.release = (held, index) => {
      release.call(store, held, index);
      const entry = held.change.entries[index];
      const state = entry === undefined ? undefined : store.views.registers.get(entry.reg);
      const name = `${held.id}#${index}`;
      if (
        entry !== undefined &&
        state !== undefined &&
        state.heads.every((head) => head.name !== name)
      )
        store.views.registers.set(entry.reg, {
          ...state,
          heads: [...state.heads, { name, hlc: held.change.hlc }],
        });
    };
  }),
  'two-parent-set-applies': core((real) => ({
    appliedRegister: (change, index, schema) =>
      real.appliedRegister(
        {
          ...change,
          entries: change.entries.map((entry) =>
            entry.op === 'set' ? { ...entry, parents: [] } : entry,
          ),
        },
        index,
        schema,
      ),
  })),
  'parent-without-index': onWorld((world) => {
    const { parentsFor } = world;
    world.parentsFor = (...given) =>
      parentsFor.apply(world, given).map((name) => name.slice(0, name.indexOf('#')));
  }),
  'index-after-filter': onLogs((store) => {
    store.enter = ({ id, change }, index) => {
      const entry = change.entries[index];
      const place = change.entries
        .slice(0, index)
        .filter((_, at) => store.classify(change, at) !== undefined).length;
      if (entry !== undefined)
        store.views.apply(
          entry.reg,
          { name: `${id}#${place}`, hlc: change.hlc },
          entry.parents,
          entry.value,
          (parent) => store.isSettled(parent, entry.reg),
        );
    };
  }),
  'supersede-whole-change': onLogs((store) => {
    const { enter } = store;
    store.enter = (held, index) => {
      for (const parent of held.change.entries[index]?.parents ?? []) {
        const named = store.held.get(parseEntryName(parent)?.id ?? '');
        if (named !== undefined && named.id !== held.id)
          for (const [at, entry] of named.change.entries.entries())
            hide(store, entry.reg, [`${named.id}#${at}`]);
      }
      enter.call(store, held, index);
    };
  }),
  'heads-of-first-register': onLogs((store) => {
    store.enter = ({ id, change }, index) => {
      const [first] = change.entries;
      const entry = change.entries[index];
      if (first !== undefined && entry !== undefined)
        store.views.apply(
          first.reg,
          { name: `${id}#${index}`, hlc: change.hlc },
          entry.parents,
          entry.value,
          (parent) => store.isSettled(parent, first.reg),
        );
    };
  }),
  'same-register-last-wins': onLogs((store) => {
    const { enter } = store;
    store.enter = (held, index) => {
      enter.call(store, held, index);
      const { reg } = held.change.entries[index] as { reg: string };
      hide(
        store,
        reg,
        held.change.entries.flatMap((entry, at) =>
          entry.reg === reg && at < index ? [`${held.id}#${at}`] : [],
        ),
      );
    };
  }),
  'bulk-resolve-cites-shown': onWorld((world) => {
    const { parentsFor } = world;
    world.parentsFor = (store, reg, op, plan) =>
      parentsFor.call(world, store, reg, plan.entries.length > 1 ? 'set' : op, plan);
  }),
  'refresh-at-commit': onWorld((world) => {
    world.madeAtCommit = (store, draft) => world.compose(store, draft).made;
  }),
  'dedupe-by-entry': onLogs((store) => {
    const { append } = store;
    const contents = new Set<string>();
    store.append = (sealed, origin, reported) => {
      const keys = sealed.change.entries.map((entry) =>
        JSON.stringify([entry.reg, entry.op, entry.parents, entry.value]),
      );
      if (origin !== 'local' && !store.held.has(sealed.id) && keys.some((key) => contents.has(key)))
        return false;
      for (const key of keys) contents.add(key);
      return append.call(store, sealed, origin, reported);
    };
  }),
  'cursor-counts-entries': onLogs((store) => {
    const { servePull } = store;
    store.servePull = (after, limit) => {
      const reply = servePull.call(store, after, limit);
      if (reply.kind !== 'page') return reply;
      const entries = reply.body.changes.reduce(
        (sum, { id }) => sum + (store.held.get(id) as Held).change.entries.length,
        0,
      );
      return { ...reply, body: { ...reply.body, to: after + entries } };
    };
  }),
  'big-change-never-fits': onWorld((world) =>
    every(world, (store) => {
      const { isFull } = store;
      store.isFull = (changes, entries, next, limit) =>
        isFull(Math.max(1, changes), entries, next, Math.max(2, limit)) || changes >= limit;
    }),
  ),
};
